/* Faults of a GPU's driver, for the test beside this file: a library that LD_PRELOAD puts before dlsym, through which the
 * program finds the driver's functions, Vulkan's and CUDA's.
 *
 * Calls that take memory, give work or wait for it are counted. From call number FAULT_AT (from 1) on, by FAULT_KIND,
 *
 *     memory   calls that take memory say that the device has no more of it
 *     lost     every call says that the device is lost (Vulkan), that work on it has failed (CUDA): the driver was
 *              restarted, the device fell off the bus
 *
 * and nothing of it reaches the driver. FAULT_LOG is a file: with FAULT_AT=0 it gets a line for every call, "NAME device";
 * otherwise the line of the first that failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_MEMORY_VULKAN = -2, LOST_VULKAN = -4, NO_MEMORY_CUDA = 2, LOST_CUDA = 719 };

static long at;
static int is_memory, is_lost, log_file = -1;
static atomic_long count;
static atomic_int failing;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND"), *log = getenv("FAULT_LOG");
    if (!text || !log) return;
    at = atol(text);
    is_memory = kind && !strcmp(kind, "memory");
    is_lost = kind && !strcmp(kind, "lost");
    log_file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    alarm(120); /* a process that hangs is a failure like others */
}

/* Whether a call fails; `counts` is false for those that clean up or are made as often as time allows, which fail only
 * after others. */
static int fails(const char *name, int takes_memory, int counts) {
    long number = counts ? atomic_fetch_add(&count, 1) + 1 : 0;
    int meant = at && number == at && (is_lost || (is_memory && takes_memory));
    if (counts && (!at || meant)) {
        char line[80];
        int length = snprintf(line, sizeof line, "%s device\n", name);
        syscall(SYS_write, log_file, line, length);
    }
    if (meant) failing = 1;
    return failing && (is_lost || takes_memory);
}

/* A function of the driver. Every argument is a number or an address, so that twelve words pass whatever there are. */
typedef long word;
typedef int function(word, word, word, word, word, word, word, word, word, word, word, word);

#define FUNCTIONS(each)                                                                                                \
    each(vkAllocateMemory, 1, 1) each(vkQueueSubmit, 0, 1) each(vkQueueSubmit2, 0, 1) each(vkWaitForFences, 0, 1)      \
    each(vkWaitSemaphores, 0, 1) each(vkGetSemaphoreCounterValue, 0, 0) each(vkMapMemory, 0, 1)                        \
    each(cuMemAlloc_v2, 1, 1) each(cuMemAllocAsync, 1, 1) each(cuMemHostAlloc, 1, 1) each(cuMemAllocHost_v2, 1, 1)     \
    each(cuMemcpyHtoD_v2, 0, 1) each(cuMemcpyHtoDAsync_v2, 0, 1) each(cuMemcpyDtoH_v2, 0, 1)                           \
    each(cuMemcpyDtoHAsync_v2, 0, 1) each(cuMemcpyDtoDAsync_v2, 0, 1) each(cuMemcpyPeerAsync, 0, 1)                    \
    each(cuMemsetD8Async, 0, 1) each(cuMemsetD8_v2, 0, 1) each(cuMemsetD32Async, 0, 1) each(cuLaunchKernel, 0, 1)      \
    each(cuLaunchKernelEx, 0, 1) each(cuGraphInstantiateWithFlags, 1, 1) each(cuGraphInstantiate_v2, 1, 1)             \
    each(cuGraphLaunch, 0, 1) each(cuStreamSynchronize, 0, 1) each(cuEventSynchronize, 0, 1)                           \
    each(cuEventRecord, 0, 1) each(cuStreamWaitEvent, 0, 1) each(cuModuleLoadData, 1, 1) each(cuModuleLoadDataEx, 1, 1)\
    each(cuStreamBeginCapture_v2, 0, 1) each(cuStreamEndCapture, 0, 1) each(cuCtxSynchronize, 0, 1)                    \
    each(cuMemFree_v2, 0, 0) each(cuMemFreeAsync, 0, 0) each(cuMemFreeHost, 0, 0) each(cuModuleUnload, 0, 0)           \
    each(cuGraphDestroy, 0, 0) each(cuGraphExecDestroy, 0, 0) each(cuEventDestroy_v2, 0, 0)                            \
    each(cuStreamDestroy_v2, 0, 0)

#define WRAP(name, takes_memory, counts)                                                                               \
    static function *real_##name;                                                                                      \
    static int my_##name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k,       \
                         word l) {                                                                                     \
        if (!fails(#name, takes_memory, counts)) return real_##name(a, b, c, d, e, f, g, h, i, j, k, l);               \
        if (#name[0] == 'v') return is_memory ? NO_MEMORY_VULKAN : LOST_VULKAN;                                        \
        return is_memory ? NO_MEMORY_CUDA : LOST_CUDA;                                                                 \
    }
FUNCTIONS(WRAP)

/* Ours in place of the driver's `found`. */
static void *instead(const char *name, void *found) {
#define INSTEAD(wrapped, takes_memory, counts)                                                                         \
    if (found && !strcmp(name, #wrapped)) {                                                                            \
        real_##wrapped = (function *)found;                                                                            \
        return (void *)my_##wrapped;                                                                                   \
    }
    FUNCTIONS(INSTEAD)
    return found;
}

/* Vulkan gives out its functions by these two. */
typedef void *finder(void *, const char *);
static finder *real_of_instance, *real_of_device;

static void *of_device(void *device, const char *name) { return instead(name, real_of_device(device, name)); }

static void *of_instance(void *instance, const char *name) {
    void *found = real_of_instance(instance, name);
    if (!found || strcmp(name, "vkGetDeviceProcAddr")) return instead(name, found);
    real_of_device = (finder *)found;
    return (void *)of_device;
}

void *dlsym(void *library, const char *name) {
    static void *(*real)(void *, const char *);
    const char *versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    for (int k = 0; !real && k < 3; k++) *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", versions[k]);
    if (!real) abort();
    void *found = real(library, name);
    if (log_file < 0 || !found) return found;
    /* the program's own request comes first; the Vulkan loader asks its layers by the same name later */
    if (!strcmp(name, "vkGetInstanceProcAddr") && !real_of_instance) {
        real_of_instance = (finder *)found;
        return (void *)of_instance;
    }
    return strncmp(name, "cu", 2) ? found : instead(name, found);
}
