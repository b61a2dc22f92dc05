"""What DE421 knows and Newton's point masses do not: the difference of the two, effect by effect.

Let x(t) be DE421's orbits, a(x) Newton's accelerations and f the rest of the physics. An orbit under Newton's law alone
that starts from DE421's state departs from DE421 by d(t), where

    d'' = a(x + d) - a(x) - f(x, v)                 d(0) = d'(0) = 0

so each effect has a d of its own, and they add up where they are small. x and v are read from the ephemeris and f is
known beforehand, so that an error costs only its share of d.

Effects: general relativity (Einstein, Infeld, Hoffmann; [Folkner 2009, eq. 1]), the Sun's J2, Earth's J2, the Moon's
J2 and C22 with DE421's librations, the tide that the Moon raises on Earth with its lag (Mignard's form), nine
asteroids with DE421's masses, and the other asteroids as a ring. Constants are DE421's own, from its header.
"""

import de421
import numpy as np
from jplephem import Ephemeris
from numpy.polynomial import chebyshev

AU = 149_597_870.7  # km
EPOCH = 2451545.0
YEAR = 365.25
NAMES = "Sun Mercury Venus Earth Moon Mars Jupiter Saturn Uranus Neptune Pluto".split()
SUN, EARTH, MOON = 0, 3, 4
DE = Ephemeris(de421)
# masses in au^3 / day^2 of DE421's own au, which is 3e-12 longer than the one that is exact by definition
SCALE = (DE.AU / AU) ** 3
GM = SCALE * np.array(
    [DE.GMS, DE.GM1, DE.GM2, DE.GMB * DE.EMRAT / (1 + DE.EMRAT), DE.GMB / (1 + DE.EMRAT)]
    + [DE.GM4, DE.GM5, DE.GM6, DE.GM7, DE.GM8, DE.GM9]
)
C = DE.CLIGHT * 86400 / AU  # au / day
OBLIQUITY = np.radians(84381.448 / 3600)
ARCSEC = np.pi / 180 / 3600

# Osculating elements at JD 2461000.5, ecliptic of J2000, from JPL's Small-Body Database: a [au], e, i, node,
# argument of perihelion, mean anomaly [degrees]; the nine heaviest, by DE421's name of the mass
ASTEROIDS = {
    "MA0001": (2.765615651508659, 0.07957631994408416, 10.58788658206854, 80.24963090816965, 73.29975464616518, 231.5397330043706),
    "MA0002": (2.76992582511479, 0.2306429787781384, 34.92832687077855, 172.8885963367437, 310.9333840114307, 211.5297778033731),
    "MA0003": (2.670879058906207, 0.2558257725543152, 12.98603961477441, 169.8198844530219, 247.8836661359693, 217.5909617686606),
    "MA0004": (2.361541280084789, 0.09016764504738634, 7.144060599543863, 103.7022980342142, 151.5371488873794, 26.80967220901607),
    "MA0010": (3.147591335345947, 0.108223833089903, 3.832937411339835, 283.1216602821771, 312.6058061800255, 216.6903206124055),
    "MA0704": (3.056218782582974, 0.1552477966505805, 17.31546543833021, 280.1660768334629, 94.10694029269551, 184.2054144782699),
    "MA0511": (3.163619117539836, 0.1896284393751952, 15.95004792439553, 107.5554381931758, 336.666946405915, 35.24757453107242),
    "MA0052": (3.092193380509604, 0.1120016601360199, 7.480921967944819, 128.5790551357993, 342.9584258894789, 312.5276379313007),
    "MA0016": (2.923314514376521, 0.1343462202634327, 3.097291662719076, 150.0098773790708, 229.7534129677803, 40.63883784197816),
}  # fmt: skip
ASTEROID_GM = SCALE * np.array([getattr(DE, name) for name in ASTEROIDS])
ELEMENTS_EPOCH = 2461000.5 - EPOCH


def de421_states(days):
    """Barycentric positions and velocities, [time, body, 3], au and au/day, at days after J2000."""
    days = np.atleast_1d(days)

    def of(name):
        position, velocity = DE.position_and_velocity(name, EPOCH, days)
        return position.T / AU, velocity.T / AU

    (barycentre, drift), (moon, moving) = of("earthmoon"), of("moon")
    share = DE.earth_share
    states = {name: of(name.lower()) for name in NAMES if name not in ("Earth", "Moon")}
    states["Earth"] = (barycentre - share * moon, drift - share * moving)
    states["Moon"] = (barycentre + (1 - share) * moon, drift + (1 - share) * moving)
    return tuple(np.stack([states[name][k] for name in NAMES], axis=1) for k in (0, 1))


def relative(x):
    """Places seen from the Sun, the Moon's from Earth."""
    seen = x - x[..., SUN : SUN + 1, :]
    seen[..., MOON, :] = x[..., MOON, :] - x[..., EARTH, :]
    return seen


def separations(x):
    """x_j - x_i and its length, infinite for i = j."""
    d = x[..., None, :, :] - x[..., :, None, :]
    r = np.sqrt((d * d).sum(-1))
    r[..., range(len(NAMES)), range(len(NAMES))] = np.inf
    return d, r


def newton(x):
    d, r = separations(x)
    return np.einsum("...ij,...ijk->...ik", GM / r**3, d)


def relativity(x, v):
    """The terms of order 1/c^2 of the equations of Einstein, Infeld and Hoffmann, beta = gamma = 1."""
    d, r = separations(x)
    m = GM / r
    phi = m.sum(-1)
    a = newton(x)
    v2 = (v * v).sum(-1)
    vv = np.einsum("...ik,...jk->...ij", v, v)
    along = np.einsum("...ijk,...jk->...ij", d, v) / r
    pull = np.einsum("...ijk,...jk->...ij", d, a)
    bracket = -4 * phi[..., :, None] - phi[..., None, :] + v2[..., :, None] + 2 * v2[..., None, :]
    bracket += -4 * vv - 1.5 * along**2 + 0.5 * pull
    total = np.einsum("...ij,...ijk->...ik", m / r**2 * bracket, d)
    u = v[..., :, None, :] - v[..., None, :, :]
    drag = -np.einsum("...ijk,...ijk->...ij", d, 4 * v[..., :, None, :] - 3 * v[..., None, :, :])
    total += np.einsum("...ij,...ijk->...ik", m / r**2 * drag, u)
    total += 3.5 * np.einsum("...ij,...jk->...ik", m, a)
    return total / C**2


def quadrupole(x, q):
    """The gradient of x.q.x / r^5."""
    r = np.sqrt((x * x).sum(-1))[:, None]
    qx = np.einsum("tij,tj->ti", q, x)
    return 2 * qx / r**5 - 5 * (x * qx).sum(-1)[:, None] * x / r**7


def figure(x, owner, others, q):
    """Accelerations by a body's figure q on others, and of the others on it."""
    f = np.zeros_like(x)
    for other in others:
        a = quadrupole(x[:, other] - x[:, owner], q)
        f[:, other] += a
        f[:, owner] -= GM[other] / GM[owner] * a
    return f


def oblate(body, radius, j2, pole):
    """The quadrupole of a body that is flat across its pole, [time, 3]."""
    return GM[body] * (radius / AU) ** 2 * j2 / 2 * (np.eye(3) - 3 * pole[:, :, None] * pole[:, None, :])


def earth_pole(days):
    """Precession to the first order in time, and DE421's nutation; to 0.1 arcseconds."""
    centuries = days / 36525
    longitude, obliquity = DE.position("nutations", EPOCH, days)[:2]
    x = 2004.3109 * ARCSEC * centuries + longitude * np.sin(OBLIQUITY)
    y = -22.4 * ARCSEC * centuries**2 + obliquity
    return np.stack([x, y, np.sqrt(1 - x * x - y * y)], axis=1)


def turned(angle, axis):
    """Rotations of the frame about an axis, [time, 3, 3]."""
    cos, sin = np.cos(angle), np.sin(angle)
    r = np.zeros((len(angle), 3, 3))
    i, j = [k for k in range(3) if k != axis]
    r[:, axis, axis] = 1
    r[:, i, i] = r[:, j, j] = cos
    r[:, i, j], r[:, j, i] = sin, -sin
    return r


def sun_figure(days, x, v):
    ra, dec = np.radians([286.13, 63.87])
    pole = np.tile([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)], (len(days), 1))
    return figure(x, SUN, range(1, len(NAMES)), oblate(SUN, DE.ASUN, DE.J2SUN, pole))


def earth_figure(days, x, v):
    return figure(x, EARTH, [SUN, MOON], oblate(EARTH, DE.AE, DE.J2E, earth_pole(days)))


def moon_figure(days, x, v):
    phi, theta, psi = DE.position("librations", EPOCH, days)
    turn = turned(psi, 2) @ turned(theta, 0) @ turned(phi, 2)
    k = GM[MOON] * (DE.AM / AU) ** 2
    q = np.diag([k * (DE.J2M / 2 + 3 * DE.C22M), k * (DE.J2M / 2 - 3 * DE.C22M), -k * DE.J2M])
    return figure(x, MOON, [EARTH], np.swapaxes(turn, 1, 2) @ q @ turn)


def tide(days, x, v):
    """The bulge that the Moon raises on Earth, late by DE421's semidiurnal lag."""
    s, u = x[:, MOON] - x[:, EARTH], v[:, MOON] - v[:, EARTH]
    spin = 7.2921151467e-5 * 86400 * earth_pole(days)
    r2 = (s * s).sum(-1)[:, None]
    late = 2 * s * (s * u).sum(-1)[:, None] + r2 * (np.cross(s, spin) + u)
    a = -3 * DE.K2E2 * GM[MOON] * (DE.AE / AU) ** 5 / r2**5 * (r2 * s + DE.TAUE2 * late)
    f = np.zeros_like(x)
    f[:, MOON] = a
    f[:, EARTH] = -GM[MOON] / GM[EARTH] * a
    return f


def ellipse(a, e, i, node, argument, mean):
    """Place and velocity about the Sun on the axes of J2000's equator."""
    i, node, argument, mean = np.radians([i, node, argument, mean])
    anomaly = mean
    for _ in range(50):
        anomaly -= (anomaly - e * np.sin(anomaly) - mean) / (1 - e * np.cos(anomaly))
    minor, cos, sin = np.sqrt(1 - e * e), np.cos(anomaly), np.sin(anomaly)
    speed = np.sqrt(GM[SUN] / a) / (1 - e * cos)
    # out of the orbit's plane
    turn = np.eye(3)
    for angle, axis in [(argument, 2), (i, 0), (node, 2), (OBLIQUITY, 0)]:
        turn = turned(np.array([-angle]), axis)[0] @ turn
    return turn @ [a * (cos - e), a * minor * sin, 0], turn @ [-speed * sin, speed * minor * cos, 0]


def nystroem(accelerate, x, v, h, steps):
    """States before the first step and after each, by Nystroem's scheme of order 4. accelerate(k, x): k half steps on."""
    yield x, v
    for k in range(steps):
        a = accelerate(2 * k, x)
        b = accelerate(2 * k + 1, x + h / 2 * v + h * h / 8 * a)
        c = accelerate(2 * k + 2, x + h * v + h * h / 2 * b)
        x = x + h * v + h * h / 6 * (a + 2 * b)
        v = v + h / 6 * (a + 4 * b + c)
        yield x, v


def asteroid_places(days):
    """Barycentric places of the nine, [time, asteroid, 3]: massless in DE421's field, from their elements' epoch."""
    h, steps = -2.0, int(ELEMENTS_EPOCH / 2) + 1
    times = ELEMENTS_EPOCH + h / 2 * np.arange(2 * steps + 1)
    planets, moving = de421_states(times)

    def accelerate(k, x):
        d = planets[k][None, :, :] - x[:, None, :]
        return np.einsum("ij,ijk->ik", GM / (d * d).sum(-1) ** 1.5, d)

    starts = [ellipse(*elements) for elements in ASTEROIDS.values()]
    x = planets[0, SUN] + np.array([start[0] for start in starts])
    v = moving[0, SUN] + np.array([start[1] for start in starts])
    xs, vs = (np.array(q)[::-1] for q in zip(*nystroem(accelerate, x, v, h, steps)))
    # cubic between the steps, of which there are 700 or more to a turn
    first = ELEMENTS_EPOCH + h * steps
    at = np.clip(((days - first) / -h).astype(int), 0, steps - 1)
    t = ((days - first) / -h - at)[:, None, None]
    a, b, va, vb = xs[at], xs[at + 1], -h * vs[at], -h * vs[at + 1]
    return a + t * (va + t * (3 * (b - a) - 2 * va - vb + t * (2 * (a - b) + va + vb)))


def pulled(x, places, gm):
    """Accelerations by masses at places, [time, mass, 3]."""
    d = places[:, None, :, :] - x[:, :, None, :]
    return np.einsum("tij,tijk->tik", gm / (d * d).sum(-1) ** 1.5, d)


def asteroids(days, x, v):
    return pulled(x, asteroid_places(days), ASTEROID_GM)


def ring(days, x, v):
    """The asteroids that DE421 has and the nine are not, as a circle of 2.8 au about the Sun in the ecliptic."""
    names = [name for name in vars(DE) if name.startswith("MA0") and name not in ASTEROIDS]
    gm = SCALE * (sum(getattr(DE, name) for name in names) + DE.GMAST1 + DE.GMAST2 + DE.GMAST3)
    angle = 2 * np.pi * np.arange(72) / 72
    circle = 2.8 * np.stack([np.cos(angle), np.sin(angle) * np.cos(OBLIQUITY), np.sin(angle) * np.sin(OBLIQUITY)], axis=1)
    # a whole ring does not move the Sun
    f = pulled(x, x[:, SUN : SUN + 1] + circle, np.full(72, gm / 72))
    f[:, SUN] = 0
    return f


EFFECTS = {
    "relativity": lambda days, x, v: relativity(x, v),
    "Sun's J2": sun_figure,
    "Earth's J2": earth_figure,
    "Moon's figure": moon_figure,
    "tide": tide,
    "nine asteroids": asteroids,
    "ring": ring,
}


def integrals(nodes):
    """Matrices that take values at nodes of [0, 1] to the first and the second integral from 0, at the nodes."""
    values = chebyshev.chebvander(2 * nodes - 1, len(nodes) - 1)
    once, twice = [], []
    for k in range(len(nodes)):
        one = chebyshev.chebint(np.eye(len(nodes))[k], lbnd=-1) / 2
        two = chebyshev.chebint(one, lbnd=-1) / 2
        once.append(chebyshev.chebval(2 * nodes - 1, one))
        twice.append(chebyshev.chebval(2 * nodes - 1, two))
    back = np.linalg.inv(values)
    return np.array(once).T @ back, np.array(twice).T @ back


def departures(years, stretches=91, count=12, rounds=8):
    """d of each effect, and of all together, after each year: a dictionary of [year, body, 3] in km, as `relative`.

    Stretches of 4 days are solved by Picard's iteration on 12 Chebyshev nodes; half as long they change no metre.
    """
    h = YEAR / stretches
    nodes = (1 - np.cos(np.pi * np.arange(count) / (count - 1))) / 2
    once, twice = integrals(nodes)
    days = ((np.arange(years * stretches)[:, None] + nodes) * h).ravel()
    x, v = de421_states(days)
    force = [effect(days, x, v) for effect in EFFECTS.values()]
    force = np.stack([*force, sum(force)], axis=1)
    reference = newton(x)[:, None]
    place = speed = np.zeros(force.shape[1:])
    found = []
    for k in range(years * stretches):
        at = slice(k * count, (k + 1) * count)
        start = place + np.multiply.outer(nodes * h, speed)
        d = start
        for _ in range(rounds):
            a = newton(x[at, None] + d) - reference[at] - force[at]
            d = start + h * h * np.tensordot(twice, a, 1)
        place, speed = d[-1], speed + h * np.tensordot(once[-1], a, 1)
        if (k + 1) % stretches == 0:
            found.append(relative(place) * AU)
    return dict(zip([*EFFECTS, "all"], np.stack(found, axis=1)))
