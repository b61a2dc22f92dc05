// The next kernel's blocks may take their places already, and wait there for this one's end.
#if __CUDA_ARCH__ >= 900
#define BEGIN_EARLY                                       \
    asm volatile("griddepcontrol.launch_dependents;");    \
    asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define BEGIN_EARLY
#endif
