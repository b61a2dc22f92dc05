// The calls of C++ for arrays in the memory of a GPU, with arrays that are not there: an error by name, on every machine.
#include "manybody.hpp"
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

static int wrong = 0;

// Without a GPU the error says so; with one, that the array is in the memory of the CPU.
static void refused(const char *what, const std::function<void()> &call)
{
    try {
        call();
        std::printf("%s: no error\n", what);
        wrong++;
    } catch (const manybody::Error &error) {
        const std::string text = error.what();
        const bool named = text.find("NVIDIA") != std::string::npos || text.find("memory") != std::string::npos;
        if (!named) {
            std::printf("%s: %s\n", what, text.c_str());
            wrong++;
        }
    }
}

template <class T> static void all(const char *law)
{
    std::vector<T> x(6, T(1)), m(2, T(1)), a(6), bodies(8, T(1)), f(2);
    using manybody::Span;
    const Span<const T> places(x), masses(m), both(bodies);
    refused("accelerations", [&] { manybody::accelerations_device(nullptr, places, masses, 1.0, 0.1, Span<T>(a)); });
    refused("evaluate", [&] { manybody::evaluate_device(nullptr, law, 4, both, 1, Span<T>(f)); });
    refused("evaluate_on", [&] { manybody::evaluate_on_device(nullptr, law, 4, both, 4, both, 1, Span<T>(f)); });
}

int main()
{
    const char *law = "body x[3], q; d = j.x - i.x; sum p = j.q / sqrt(dot(d, d) + 0.1)";
    all<double>(law);
    all<float>(law);
    {
        using manybody::Span;
        std::vector<double> x(6, 1.0), m(2, 1.0), a(6);
        x[0] = 0;
        manybody::Simulation kept(manybody::Settings(), x, {}, m);
        refused("set_bodies", [&] { kept.set_bodies_device(nullptr, x, {}, m); });
        refused("bodies", [&] { kept.bodies_device(nullptr, Span<double>(a), {}); });
        refused("accelerations of those kept", [&] { kept.accelerations_device(nullptr, Span<double>(a)); });
    }
    // rows of no numbers
    for (const int width : {0, -1}) {
        try {
            std::vector<double> x(9), f(9);
            manybody::evaluate("gaussian", width, manybody::Span<const double>(x), 1, manybody::Span<double>(f));
            wrong++;
        } catch (const manybody::Error &error) {
            wrong += std::strstr(error.what(), "x: rows of no numbers") == nullptr;
        }
    }
    // a size that does not fit is found before the GPU is asked
    try {
        std::vector<double> x(5), m(2), a(6);
        manybody::accelerations_device(nullptr, manybody::Span<const double>(x), manybody::Span<const double>(m), 1.0, 0.1,
                                       manybody::Span<double>(a));
        wrong++;
    } catch (const manybody::Error &error) {
        wrong += std::strstr(error.what(), "x: has 5 numbers") == nullptr;
    }
    std::puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
