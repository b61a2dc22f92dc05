// Each call of manybody.hpp on arrays of the host does what the call of manybody.h does, for double and float, and says which
// array is too short.
#include <manybody.hpp>

#include <cstring>
#include <iostream>
#include <string>
#include <vector>

namespace {

int wrong = 0;

template <class T> void same(const char *name, const std::vector<T> &ours, const std::vector<T> &theirs)
{
    if (ours.size() != theirs.size() || std::memcmp(ours.data(), theirs.data(), ours.size() * sizeof(T)) != 0) {
        std::cout << name << ": other numbers than the call of C\n";
        wrong = 1;
    }
}

template <class Call> void refused(Call call)
{
    try {
        call();
        std::cout << "was not refused\n";
        wrong = 1;
    } catch (const manybody::Error &error) {
        std::cout << error.what() << '\n';
    }
}

using manybody::detail::Calls;

template <class T> void all()
{
    const std::size_t n = 40, ni = 7;
    std::vector<T> x(3 * n), v(3 * n), m(n), own(n);
    for (std::size_t k = 0; k < x.size(); k++) {
        x[k] = T((k * 37) % 101) / T(50);
        v[k] = T((k * 53) % 97) / T(40) - T(1);
    }
    for (std::size_t k = 0; k < n; k++) {
        m[k] = T(1) / T(k + 1);
        own[k] = T(k % 3 + 1) / T(10);
    }
    const std::vector<T> xi(x.begin(), x.begin() + 3 * ni), none;
    std::vector<T> a(3 * n), phi(n), jerk(3 * n), ca(3 * n), cphi(n), cjerk(3 * n);

    manybody::accelerations(x, m, 2.0, 0.1, a);
    manybody::check(Calls<T>::accelerations(nullptr, n, x.data(), m.data(), 2.0, 0.1, ca.data()));
    same("accelerations", a, ca);

    manybody::forces(x, v, m, 2.0, 0.1, a, phi, jerk);
    manybody::check(Calls<T>::forces(nullptr, n, x.data(), v.data(), m.data(), nullptr, 2.0, 0.1, ca.data(), cphi.data(), cjerk.data()));
    same("forces: a", a, ca);
    same("forces: phi", phi, cphi);
    same("forces: jerk", jerk, cjerk);
    if (jerk == std::vector<T>(3 * n)) {
        std::cout << "no jerk\n";
        wrong = 1;
    }

    const manybody::Settings direct{{"solver", "direct"}};
    manybody::forces(x, none, m, 2.0, 0.0, a, phi, {}, &direct, own);
    manybody::check(Calls<T>::forces(direct.handle(), n, x.data(), nullptr, m.data(), own.data(), 2.0, 0.0, ca.data(), cphi.data(), nullptr));
    same("forces with softenings: a", a, ca);
    same("forces with softenings: phi", phi, cphi);

    manybody::potential(x, m, 2.0, 0.1, phi);
    manybody::check(Calls<T>::potential(nullptr, n, x.data(), m.data(), 2.0, 0.1, cphi.data()));
    same("potential", phi, cphi);

    std::vector<T> at(3 * ni), cat(3 * ni);
    manybody::accelerations_at(xi, x, m, 2.0, 0.1, at);
    manybody::check(Calls<T>::accelerations_at(nullptr, ni, xi.data(), n, x.data(), m.data(), 2.0, 0.1, cat.data()));
    same("accelerations_at", at, cat);

    const char *law = "body x[3]; param s; d = i.x - j.x; sum f = exp(-s * dot(d, d)); self include";
    const std::vector<T> par{T(0.5)};
    std::vector<T> f(n), cf(n);
    manybody::evaluate(law, 3, x, 1, f, nullptr, par);
    manybody::check(Calls<T>::evaluate(nullptr, law, n, 3, x.data(), 1, par.data(), 1, cf.data()));
    same("evaluate", f, cf);

    std::vector<T> on(ni), con(ni);
    manybody::evaluate_on(law, 3, xi, 3, x, 1, on, nullptr, par);
    manybody::check(Calls<T>::evaluate_on(nullptr, law, ni, 3, xi.data(), n, 3, x.data(), 0, 1, par.data(), 1, con.data()));
    same("evaluate_on", on, con);

    const char *exclude = "target x[3]; source y[3]; d = i.x - j.y; sum f = 1 / (1 + dot(d, d)); self exclude";
    manybody::evaluate_on(exclude, 3, x, 3, v, 1, f, nullptr, {}, true);
    manybody::check(Calls<T>::evaluate_on(nullptr, exclude, n, 3, x.data(), n, 3, v.data(), 1, 0, nullptr, 1, cf.data()));
    same("evaluate_on the same bodies", f, cf);
    std::vector<T> with(n);
    manybody::evaluate_on(exclude, 3, x, 3, v, 1, with, nullptr, {}, false);
    if (f == with) {
        std::cout << "the same bodies are taken for others\n";
        wrong = 1;
    }

    std::vector<T> few(n - 1);
    refused([&] { manybody::forces(x, v, few, 1.0, 0.1, a); });
    refused([&] { manybody::forces(x, few, m, 1.0, 0.1, a); });
    refused([&] { manybody::forces(x, none, m, 1.0, 0.1, few); });
    refused([&] { manybody::forces(x, none, m, 1.0, 0.1, a, few); });
    refused([&] { manybody::forces(x, v, m, 1.0, 0.1, a, phi, few); });
    refused([&] { manybody::forces(x, none, m, 1.0, 0.1, a, {}, {}, nullptr, few); });
    refused([&] { manybody::forces(x, none, m, 1.0, 0.1, a, {}, jerk); });
    std::vector<T> nothing;
    refused([&] { manybody::forces(x, v, m, 1.0, 0.1, nothing); });
    refused([&] { manybody::accelerations_at(xi, x, few, 1.0, 0.1, at); });
    refused([&] { manybody::evaluate(law, 3, x, 1, few, nullptr, par); });
    refused([&] { manybody::evaluate_on(exclude, 3, xi, 3, x, 1, on, nullptr, {}, true); });

    // no bodies are no error
    manybody::forces(none, none, none, 1.0, 0.1, nothing);
    manybody::accelerations(none, none, 1.0, 0.1, nothing);
    manybody::accelerations_at(none, x, m, 1.0, 0.1, nothing);
    manybody::evaluate(law, 3, none, 1, nothing, nullptr, par);
}

} // namespace

int main()
{
    all<double>();
    all<float>();
    std::cout << (wrong ? "wrong\n" : "as from C\n");
    return wrong;
}
