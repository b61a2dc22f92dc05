// manybody from C++: the calls of manybody.h with handles that free themselves, exceptions with the message, and arrays that
// know their size. Arrays are anything with data() and size(), as std::vector and std::array; with C++20 also what
// std::span is made of. Header only; C++17.
#ifndef MANYBODY_HPP
#define MANYBODY_HPP

#include "manybody.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

namespace manybody {

/// A call that has failed: what() is the message of mb_last_error().
class Error : public std::runtime_error {
public:
    Error(mb_status status, const std::string &message) : std::runtime_error(message), status_(status) {}
    mb_status status() const noexcept { return status_; }

private:
    mb_status status_;
};

/// Throws what a status says.
inline void check(mb_status status)
{
    if (status != MB_OK)
        throw Error(status, mb_last_error());
}

#ifdef __cpp_lib_span
template <class T> using Span = std::span<T>;
#else
/// Numbers in a row, which are someone else's.
template <class T> class Span {
public:
    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <class Array,
              class = std::enable_if_t<std::is_convertible<decltype(std::declval<Array &>().data()), T *>::value>>
    constexpr Span(Array &array) noexcept : data_(array.data()), size_(array.size())
    {
    }
    template <class U, std::size_t N, class = std::enable_if_t<std::is_convertible<U *, T *>::value>>
    constexpr Span(U (&array)[N]) noexcept : data_(array), size_(N)
    {
    }
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

namespace detail {

/// The number of rows of an array, which must be n where that is known.
template <class T> std::int64_t rows(const char *name, Span<T> array, std::size_t width, std::int64_t n = -1)
{
    const auto size = array.size();
    // a negative number of an int is a width that no array has
    if (width == 0 || width > PTRDIFF_MAX)
        throw Error(MB_ERROR_ARGUMENT, std::string(name) + ": rows of no numbers; a row must have one number or more");
    if (size % width != 0 || (n >= 0 && size != static_cast<std::size_t>(n) * width)) {
        std::string text = std::string(name) + ": has " + std::to_string(size) + " numbers; must have ";
        text += n >= 0 ? std::to_string(static_cast<std::size_t>(n) * width) : "a multiple of " + std::to_string(width);
        throw Error(MB_ERROR_ARGUMENT, text);
    }
    return static_cast<std::int64_t>(size / width);
}

struct Free {
    void operator()(mb_settings *settings) const noexcept { mb_settings_free(settings); }
    void operator()(mb_simulation *simulation) const noexcept { mb_simulation_free(simulation); }
};

/// A text that a call writes.
template <class Write> std::string text(Write write)
{
    std::vector<char> buffer(256);
    mb_status status = write(buffer.data(), buffer.size());
    while (status == MB_ERROR_ARGUMENT && buffer.size() < (1u << 20)) {
        buffer.resize(4 * buffer.size());
        status = write(buffer.data(), buffer.size());
    }
    check(status);
    return buffer.data();
}

} // namespace detail

/// Settings by name, as docs/settings.md has them.
class Settings {
public:
    Settings()
    {
        mb_settings *settings = nullptr;
        check(mb_settings_new(&settings));
        handle_.reset(settings);
    }
    Settings(std::initializer_list<std::pair<const char *, const char *>> words) : Settings()
    {
        for (const auto &word : words)
            set(word.first, word.second);
    }
    Settings &set(const std::string &name, const std::string &value)
    {
        check(mb_settings_set(handle_.get(), name.c_str(), value.c_str()));
        return *this;
    }
    Settings &set(const std::string &name, double value)
    {
        check(mb_settings_set_number(handle_.get(), name.c_str(), value));
        return *this;
    }
    Settings &read(const std::string &path)
    {
        check(mb_settings_read(handle_.get(), path.c_str()));
        return *this;
    }
    std::string get(const std::string &name) const
    {
        return detail::text([&](char *to, std::size_t size) {
            return mb_settings_get(handle_.get(), name.c_str(), to, size);
        });
    }
    const mb_settings *handle() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<mb_settings, detail::Free> handle_;
};

namespace detail {

/// The calls for a type of number.
template <class T> struct Calls;

template <> struct Calls<double> {
    static constexpr auto accelerations = mb_accelerations;
    static constexpr auto forces = mb_forces;
    static constexpr auto forces_device = mb_forces_device;
    static constexpr auto accelerations_at = mb_accelerations_at;
    static constexpr auto potential = mb_potential;
    static constexpr auto evaluate = mb_evaluate;
    static constexpr auto evaluate_device = mb_evaluate_device;
    static constexpr auto evaluate_on = mb_evaluate_on;
    static constexpr auto evaluate_on_device = mb_evaluate_on_device;
};

template <> struct Calls<float> {
    static constexpr auto accelerations = mb_accelerations_f32;
    static constexpr auto forces = mb_forces_f32;
    static constexpr auto forces_device = mb_forces_device_f32;
    static constexpr auto accelerations_at = mb_accelerations_at_f32;
    static constexpr auto potential = mb_potential_f32;
    static constexpr auto evaluate = mb_evaluate_f32;
    static constexpr auto evaluate_device = mb_evaluate_device_f32;
    static constexpr auto evaluate_on = mb_evaluate_on_f32;
    static constexpr auto evaluate_on_device = mb_evaluate_on_device_f32;
};

/// Null for an array that is not there.
template <class T> T *data(Span<T> array) noexcept { return array.empty() ? nullptr : array.data(); }

/// Bodies, and what is computed of them; arrays that are empty are not there.
template <class T> struct Bodies {
    Span<const T> x, v, m, eps_each;
    double g, eps;
    Span<T> a, phi, jerk;

    /// Their number, if all arrays that are there have it.
    std::int64_t count() const
    {
        const auto n = rows("x", x, 3);
        rows("m", m, 1, n);
        const auto check_rows = [n](const char *name, auto array, std::size_t width) {
            if (!array.empty())
                rows(name, array, width, n);
        };
        check_rows("v", v, 3);
        check_rows("eps_each", eps_each, 1);
        check_rows("a", a, 3);
        check_rows("phi", phi, 1);
        check_rows("jerk", jerk, 3);
        if (n > 0 && a.empty() && phi.empty() && jerk.empty())
            throw Error(MB_ERROR_ARGUMENT, "a, phi, jerk: all are empty; must have room for one result or more");
        return n;
    }
};

inline const mb_settings *handle(const Settings *settings) noexcept { return settings ? settings->handle() : nullptr; }

template <class T>
void accelerations(Span<const T> x, Span<const T> m, double g, double eps, Span<T> a, const Settings *settings)
{
    const auto n = rows("x", x, 3);
    rows("m", m, 1, n);
    rows("a", a, 3, n);
    check(Calls<T>::accelerations(handle(settings), n, x.data(), m.data(), g, eps, a.data()));
}

template <class T> void forces(const Bodies<T> &of, const Settings *settings)
{
    const auto n = of.count();
    check(Calls<T>::forces(handle(settings), n, of.x.data(), data(of.v), of.m.data(), data(of.eps_each), of.g, of.eps,
                           data(of.a), data(of.phi), data(of.jerk)));
}

template <class T> void forces_device(void *stream, const Bodies<T> &of, const Settings *settings)
{
    const auto n = of.count();
    check(Calls<T>::forces_device(handle(settings), stream, n, of.x.data(), data(of.v), of.m.data(), data(of.eps_each), of.g,
                                  of.eps, data(of.a), data(of.phi), data(of.jerk)));
}

template <class T>
void accelerations_at(Span<const T> xi, Span<const T> xj, Span<const T> mj, double g, double eps, Span<T> a,
                      const Settings *settings)
{
    const auto ni = rows("xi", xi, 3), nj = rows("xj", xj, 3);
    rows("mj", mj, 1, nj);
    rows("a", a, 3, ni);
    check(Calls<T>::accelerations_at(handle(settings), ni, xi.data(), nj, xj.data(), mj.data(), g, eps, a.data()));
}

template <class T>
void potential(Span<const T> x, Span<const T> m, double g, double eps, Span<T> phi, const Settings *settings)
{
    const auto n = rows("x", x, 3);
    rows("m", m, 1, n);
    rows("phi", phi, 1, n);
    check(Calls<T>::potential(handle(settings), n, x.data(), m.data(), g, eps, phi.data()));
}

/// A law on bodies of one set; `call` takes what comes before the law.
template <class T, class Call>
void evaluate(Call call, const std::string &law, int dim, Span<const T> x, int fdim, Span<T> f, Span<const T> par)
{
    const auto n = rows("x", x, static_cast<std::size_t>(dim));
    rows("f", f, static_cast<std::size_t>(fdim), n);
    check(call(law.c_str(), n, dim, x.data(), static_cast<std::int64_t>(par.size()), par.data(), fdim, f.data()));
}

/// A law on bodies of two sets, likewise.
template <class T, class Call>
void evaluate_on(Call call, const std::string &law, int idim, Span<const T> xi, int jdim, Span<const T> xj, int fdim,
                 Span<T> f, Span<const T> par, bool same)
{
    const auto ni = rows("xi", xi, static_cast<std::size_t>(idim));
    const auto nj = rows("xj", xj, static_cast<std::size_t>(jdim), same ? ni : -1);
    rows("f", f, static_cast<std::size_t>(fdim), ni);
    check(call(law.c_str(), ni, idim, xi.data(), nj, jdim, xj.data(), same ? 1 : 0, static_cast<std::int64_t>(par.size()),
               par.data(), fdim, f.data()));
}

} // namespace detail

/// Accelerations a [n][3] of bodies at x [n][3] with masses m [n] on each other.
inline void accelerations(Span<const double> x, Span<const double> m, double g, double eps, Span<double> a,
                          const Settings *settings = nullptr)
{
    detail::accelerations<double>(x, m, g, eps, a, settings);
}

inline void accelerations(Span<const float> x, Span<const float> m, double g, double eps, Span<float> a,
                          const Settings *settings = nullptr)
{
    detail::accelerations<float>(x, m, g, eps, a, settings);
}

/// Accelerations a [n][3], potentials phi [n] and time derivatives of accelerations jerk [n][3], in one evaluation; empty for
/// those that are not needed. v [n][3] are velocities, which only the jerk needs; eps_each [n] are softening lengths of the
/// bodies' own, used in place of eps.
inline void forces(Span<const double> x, Span<const double> v, Span<const double> m, double g, double eps, Span<double> a,
                   Span<double> phi = {}, Span<double> jerk = {}, const Settings *settings = nullptr,
                   Span<const double> eps_each = {})
{
    detail::forces<double>({x, v, m, eps_each, g, eps, a, phi, jerk}, settings);
}

inline void forces(Span<const float> x, Span<const float> v, Span<const float> m, double g, double eps, Span<float> a,
                   Span<float> phi = {}, Span<float> jerk = {}, const Settings *settings = nullptr,
                   Span<const float> eps_each = {})
{
    detail::forces<float>({x, v, m, eps_each, g, eps, a, phi, jerk}, settings);
}

/// accelerations of arrays in the memory of a GPU, which computes; `stream` is the CUDA stream on which they are being written
/// (see mb_forces_device).
inline void accelerations_device(void *stream, Span<const double> x, Span<const double> m, double g, double eps, Span<double> a,
                                 const Settings *settings = nullptr)
{
    detail::rows("a", a, 3, detail::rows("x", x, 3));
    detail::forces_device<double>(stream, {x, {}, m, {}, g, eps, a, {}, {}}, settings);
}

inline void accelerations_device(void *stream, Span<const float> x, Span<const float> m, double g, double eps, Span<float> a,
                                 const Settings *settings = nullptr)
{
    detail::rows("a", a, 3, detail::rows("x", x, 3));
    detail::forces_device<float>(stream, {x, {}, m, {}, g, eps, a, {}, {}}, settings);
}

/// forces of arrays in the memory of a GPU.
inline void forces_device(void *stream, Span<const double> x, Span<const double> v, Span<const double> m, double g, double eps,
                          Span<double> a, Span<double> phi = {}, Span<double> jerk = {}, const Settings *settings = nullptr,
                          Span<const double> eps_each = {})
{
    detail::forces_device<double>(stream, {x, v, m, eps_each, g, eps, a, phi, jerk}, settings);
}

inline void forces_device(void *stream, Span<const float> x, Span<const float> v, Span<const float> m, double g, double eps,
                          Span<float> a, Span<float> phi = {}, Span<float> jerk = {}, const Settings *settings = nullptr,
                          Span<const float> eps_each = {})
{
    detail::forces_device<float>(stream, {x, v, m, eps_each, g, eps, a, phi, jerk}, settings);
}

/// Accelerations a [ni][3] that bodies at xj [nj][3] with masses mj [nj] cause at the places xi [ni][3].
inline void accelerations_at(Span<const double> xi, Span<const double> xj, Span<const double> mj, double g, double eps,
                             Span<double> a, const Settings *settings = nullptr)
{
    detail::accelerations_at<double>(xi, xj, mj, g, eps, a, settings);
}

inline void accelerations_at(Span<const float> xi, Span<const float> xj, Span<const float> mj, double g, double eps,
                             Span<float> a, const Settings *settings = nullptr)
{
    detail::accelerations_at<float>(xi, xj, mj, g, eps, a, settings);
}

/// Potentials phi [n] of bodies at x [n][3] with masses m [n].
inline void potential(Span<const double> x, Span<const double> m, double g, double eps, Span<double> phi,
                      const Settings *settings = nullptr)
{
    detail::potential<double>(x, m, g, eps, phi, settings);
}

inline void potential(Span<const float> x, Span<const float> m, double g, double eps, Span<float> phi,
                      const Settings *settings = nullptr)
{
    detail::potential<float>(x, m, g, eps, phi, settings);
}

/// What a law makes of bodies x [n][dim] of one set: f [n][fdim].
inline void evaluate(const std::string &law, int dim, Span<const double> x, int fdim, Span<double> f,
                     const Settings *settings = nullptr, Span<const double> par = {})
{
    const auto call = [&](auto... rest) { return detail::Calls<double>::evaluate(detail::handle(settings), rest...); };
    detail::evaluate<double>(call, law, dim, x, fdim, f, par);
}

inline void evaluate(const std::string &law, int dim, Span<const float> x, int fdim, Span<float> f,
                     const Settings *settings = nullptr, Span<const float> par = {})
{
    const auto call = [&](auto... rest) { return detail::Calls<float>::evaluate(detail::handle(settings), rest...); };
    detail::evaluate<float>(call, law, dim, x, fdim, f, par);
}

/// What a law makes of bodies xj [nj][jdim] acting on bodies xi [ni][idim]: f [ni][fdim]. With `same`, body k of one side is
/// body k of the other, and the law decides what it does to itself.
inline void evaluate_on(const std::string &law, int idim, Span<const double> xi, int jdim, Span<const double> xj, int fdim,
                        Span<double> f, const Settings *settings = nullptr, Span<const double> par = {}, bool same = false)
{
    const auto call = [&](auto... rest) { return detail::Calls<double>::evaluate_on(detail::handle(settings), rest...); };
    detail::evaluate_on<double>(call, law, idim, xi, jdim, xj, fdim, f, par, same);
}

inline void evaluate_on(const std::string &law, int idim, Span<const float> xi, int jdim, Span<const float> xj, int fdim,
                        Span<float> f, const Settings *settings = nullptr, Span<const float> par = {}, bool same = false)
{
    const auto call = [&](auto... rest) { return detail::Calls<float>::evaluate_on(detail::handle(settings), rest...); };
    detail::evaluate_on<float>(call, law, idim, xi, jdim, xj, fdim, f, par, same);
}

/// evaluate of arrays in the memory of a GPU; `par` is in that of the CPU.
inline void evaluate_device(void *stream, const std::string &law, int dim, Span<const double> x, int fdim, Span<double> f,
                            const Settings *settings = nullptr, Span<const double> par = {})
{
    const auto call = [&](auto... rest) {
        return detail::Calls<double>::evaluate_device(detail::handle(settings), stream, rest...);
    };
    detail::evaluate<double>(call, law, dim, x, fdim, f, par);
}

inline void evaluate_device(void *stream, const std::string &law, int dim, Span<const float> x, int fdim, Span<float> f,
                            const Settings *settings = nullptr, Span<const float> par = {})
{
    const auto call = [&](auto... rest) {
        return detail::Calls<float>::evaluate_device(detail::handle(settings), stream, rest...);
    };
    detail::evaluate<float>(call, law, dim, x, fdim, f, par);
}

/// evaluate_on of arrays in the memory of a GPU; `par` is in that of the CPU.
inline void evaluate_on_device(void *stream, const std::string &law, int idim, Span<const double> xi, int jdim,
                               Span<const double> xj, int fdim, Span<double> f, const Settings *settings = nullptr,
                               Span<const double> par = {}, bool same = false)
{
    const auto call = [&](auto... rest) {
        return detail::Calls<double>::evaluate_on_device(detail::handle(settings), stream, rest...);
    };
    detail::evaluate_on<double>(call, law, idim, xi, jdim, xj, fdim, f, par, same);
}

inline void evaluate_on_device(void *stream, const std::string &law, int idim, Span<const float> xi, int jdim,
                               Span<const float> xj, int fdim, Span<float> f, const Settings *settings = nullptr,
                               Span<const float> par = {}, bool same = false)
{
    const auto call = [&](auto... rest) {
        return detail::Calls<float>::evaluate_on_device(detail::handle(settings), stream, rest...);
    };
    detail::evaluate_on<float>(call, law, idim, xi, jdim, xj, fdim, f, par, same);
}

/// Energies, and the error (E - E0) / |E0|.
struct Energy {
    double kinetic = 0, potential = 0, error = 0;
};

/// Bodies that the library keeps: forces, steps, energies, files.
class Simulation {
public:
    /// Bodies at x [n][3] with masses m [n] and velocities v [n][3], or at rest where v is empty.
    Simulation(const Settings &settings, Span<const double> x, Span<const double> v, Span<const double> m,
               const std::string &units = "g1")
    {
        const auto n = detail::rows("x", x, 3);
        detail::rows("m", m, 1, n);
        if (!v.empty())
            detail::rows("v", v, 3, n);
        mb_simulation *made = nullptr;
        check(mb_simulation_new(settings.handle(), units.c_str(), n, x.data(), v.empty() ? nullptr : v.data(), m.data(),
                                &made));
        handle_.reset(made);
    }
    /// The run that settings describe.
    static Simulation start(const Settings &settings)
    {
        return make([&](mb_simulation **to) { return mb_simulation_start(settings.handle(), to); });
    }
    /// The bodies of a file.
    static Simulation load(const Settings &settings, const std::string &path)
    {
        return make([&](mb_simulation **to) { return mb_simulation_load(settings.handle(), path.c_str(), to); });
    }
    /// The run that a file has kept.
    static Simulation resume(const Settings &settings, const std::string &path)
    {
        return make([&](mb_simulation **to) { return mb_simulation_resume(settings.handle(), path.c_str(), to); });
    }
    void save(const std::string &path) { check(mb_simulation_save(handle_.get(), path.c_str())); }

    std::size_t size() const
    {
        std::int64_t n = 0;
        check(mb_simulation_count(handle_.get(), &n));
        return static_cast<std::size_t>(n);
    }
    double time() const
    {
        double time = 0;
        check(mb_simulation_time(handle_.get(), &time));
        return time;
    }
    /// Makes steps, and returns how many.
    std::int64_t step(std::int64_t steps = 1)
    {
        std::int64_t made = 0;
        check(mb_simulation_step(handle_.get(), steps, &made));
        return made;
    }
    void advance(double until) { check(mb_simulation_advance(handle_.get(), until)); }
    Energy energy()
    {
        Energy now;
        check(mb_simulation_energy(handle_.get(), &now.kinetic, &now.potential, &now.error));
        return now;
    }
    std::vector<double> positions() { return columns(3, 0); }
    std::vector<double> velocities() { return columns(3, 1); }
    std::vector<double> masses() { return columns(1, 2); }
    std::vector<double> accelerations()
    {
        std::vector<double> a(3 * size());
        check(mb_simulation_accelerations(handle_.get(), static_cast<std::int64_t>(a.size() / 3), a.data()));
        return a;
    }
    std::vector<double> accelerations(Span<const std::int64_t> targets)
    {
        std::vector<double> a(3 * targets.size());
        check(mb_simulation_accelerations_on(handle_.get(), static_cast<std::int64_t>(targets.size()), targets.data(),
                                             a.data()));
        return a;
    }
    void set_bodies(Span<const double> x, Span<const double> v, Span<const double> m)
    {
        const auto n = detail::rows("x", x, 3);
        detail::rows("m", m, 1, n);
        if (!v.empty())
            detail::rows("v", v, 3, n);
        check(mb_simulation_set_bodies(handle_.get(), n, x.data(), v.empty() ? nullptr : v.data(), m.data()));
    }
    /// Arrays in the memory of a GPU, by their addresses there; what is on the stream is done first (see
    /// mb_simulation_set_bodies_device). An empty v stands for bodies at rest, or for results that are not needed.
    void set_bodies_device(void *stream, Span<const double> x, Span<const double> v, Span<const double> m)
    {
        const auto n = detail::rows("x", x, 3);
        detail::rows("m", m, 1, n);
        if (!v.empty())
            detail::rows("v", v, 3, n);
        check(mb_simulation_set_bodies_device(handle_.get(), stream, n, x.data(), v.empty() ? nullptr : v.data(), m.data()));
    }
    void bodies_device(void *stream, Span<double> x, Span<double> v, Span<double> m = {})
    {
        const auto n = detail::rows("x", x, 3);
        if (!v.empty())
            detail::rows("v", v, 3, n);
        if (!m.empty())
            detail::rows("m", m, 1, n);
        check(mb_simulation_bodies_device(handle_.get(), stream, n, x.data(), v.empty() ? nullptr : v.data(),
                                          m.empty() ? nullptr : m.data()));
    }
    void accelerations_device(void *stream, Span<double> a)
    {
        check(mb_simulation_accelerations_device(handle_.get(), stream, detail::rows("a", a, 3), a.data()));
    }
    std::vector<double> column(const std::string &name)
    {
        std::vector<double> values(size());
        check(mb_simulation_column(handle_.get(), name.c_str(), static_cast<std::int64_t>(values.size()), values.data()));
        return values;
    }
    void set_column(const std::string &name, Span<const double> values)
    {
        check(mb_simulation_set_column(handle_.get(), name.c_str(), static_cast<std::int64_t>(values.size()),
                                       values.data()));
    }
    std::string setting(const std::string &name) const
    {
        return detail::text([&](char *to, std::size_t size) {
            return mb_simulation_setting(handle_.get(), name.c_str(), to, size);
        });
    }
    mb_simulation *handle() const noexcept { return handle_.get(); }

private:
    explicit Simulation(mb_simulation *handle) : handle_(handle) {}

    template <class Make> static Simulation make(Make make)
    {
        mb_simulation *made = nullptr;
        check(make(&made));
        return Simulation(made);
    }
    std::vector<double> columns(std::size_t width, int which)
    {
        std::vector<double> all(width * size());
        double *to[3] = {nullptr, nullptr, nullptr};
        to[which] = all.data();
        check(mb_simulation_bodies(handle_.get(), static_cast<std::int64_t>(all.size() / width), to[0], to[1], to[2]));
        return all;
    }

    std::unique_ptr<mb_simulation, detail::Free> handle_;
};

/// Makes the whole run that settings describe, as the command does, and returns the name of the file with the last state.
inline std::string run(const Settings &settings)
{
    std::vector<char> file(4096);
    check(mb_run(settings.handle(), file.data(), file.size()));
    return file.data();
}

} // namespace manybody

#endif // MANYBODY_HPP
