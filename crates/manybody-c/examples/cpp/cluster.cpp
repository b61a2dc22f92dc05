// C++: forces of vectors, a law as text, a run that frees itself, and an exception with the message.
#include <manybody.hpp>

#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>

int main()
{
    std::vector<double> x{1, 0, 0, -1, 0, 0, 0, 2, 0}, m{1, 1, 0.5}, a(9);
    manybody::accelerations(x, m, 1.0, 0.01, a);
    std::cout << "a_x of body 0: " << a[0] << '\n';

    const manybody::Settings single{{"precision", "f32"}, {"threads", "1"}};
    manybody::accelerations(x, m, 1.0, 0.01, a, &single);

    std::array<double, 4> charges{0, 1, 3, 2}, forces{}; // places and charges on a line
    manybody::evaluate("body x, q; d = i.x - j.x; sum f = i.q * j.q * d / abs(d)^3; sum n = 1; self exclude", 2, charges, 2,
                       forces);
    std::cout << "force " << forces[0] << ", partners " << forces[1] << '\n';

    manybody::Settings settings{{"ic", "plummer"}, {"n", "200"}, {"dt", "1/64"}, {"eps", "0.05"}};
    auto run = manybody::Simulation::start(settings);
    run.advance(0.5);
    std::cout << run.size() << " bodies at t = " << run.time() << ", dt = " << run.setting("dt")
              << ", energy error below 1e-3: " << (std::abs(run.energy().error) < 1e-3 ? "yes" : "no") << '\n';

    try {
        x[4] = std::numeric_limits<double>::quiet_NaN();
        manybody::accelerations(x, m, 1.0, 0.01, a);
        return 1;
    } catch (const manybody::Error &error) {
        std::cout << error.what() << '\n';
        return error.status() == MB_ERROR_INPUT ? 0 : 1;
    }
}
