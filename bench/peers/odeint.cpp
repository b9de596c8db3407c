/* Boost.Numeric.Odeint: runge_kutta4, in float and in double. */
#include "peer.h"

#include <array>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <vector>

#include "slopes.h"

namespace {

inline void slopes_of(const peer_work *w, const float *y, float *slope) { slopes_float(w, y, slope); }
inline void slopes_of(const peer_work *w, const double *y, double *slope) { slopes_double(w, y, slope); }
inline void fill_of(const peer_work *w, float *y) { fill_float(w, y); }
inline void fill_of(const peer_work *w, double *y) { fill_double(w, y); }
inline void place_of(const peer_work *w, const float *y, uint32_t i, float *p) { place_float(w, y, i, p); }
inline void place_of(const peer_work *w, const double *y, uint32_t i, float *p) { place_double(w, y, i, p); }

/* State: an array of a loose body, a vector of a chain. */
template <class Real, class State> struct integration {
    peer_work work;
    std::vector<State> states;
    boost::numeric::odeint::runge_kutta4<State, Real> stepper;

    integration(const peer_work &given, const State &like) : work(given) {
        std::vector<Real> y(6 * std::size_t(work.count));
        const std::size_t numbers = 6 * std::size_t(work.points);
        fill_of(&work, y.data());
        states.assign(work.count / work.points, like);
        for (std::size_t k = 0; k < states.size(); k++)
            for (std::size_t i = 0; i < numbers; i++) states[k][i] = y[k * numbers + i];
    }
    void frame() {
        const auto f = [this](const State &y, State &slope, Real) {
            slopes_of(&work, y.data(), slope.data());
        };
        for (auto &state : states)
            for (uint32_t k = 0; k < work.substeps; k++) stepper.do_step(f, state, Real(0), Real(work.h));
    }
    void place(uint32_t body, float *to) const {
        peer_work first = work;
        first.count = work.points;
        place_of(&first, states[body / work.points].data(), body % work.points, to);
    }
};

template <class Real> struct odeint_state {
    using loose = integration<Real, std::array<Real, 6>>;
    using chains = integration<Real, std::vector<Real>>;
    loose *bodies = nullptr;
    chains *joined = nullptr;
};

template <class Real> void *open(const void *user, unsigned kind) {
    const auto &work = *static_cast<const peer_work *>(user);
    auto *s = new odeint_state<Real>;
    if (kind == PEER_CHAINS)
        s->joined =
            new typename odeint_state<Real>::chains(work, std::vector<Real>(6 * std::size_t(work.points)));
    else
        s->bodies = new typename odeint_state<Real>::loose(work, {});
    return s;
}

template <class Real> void frame(void *user) {
    auto *s = static_cast<odeint_state<Real> *>(user);
    s->joined ? s->joined->frame() : s->bodies->frame();
}

template <class Real> void place(const void *user, uint32_t body, float *to) {
    const auto *s = static_cast<const odeint_state<Real> *>(user);
    s->joined ? s->joined->place(body, to) : s->bodies->place(body, to);
}

template <class Real> void close(void *user) {
    auto *s = static_cast<odeint_state<Real> *>(user);
    delete s->joined;
    delete s->bodies;
    delete s;
}

const char does[] = "a body or a chain at a time, 4 evaluations a step";

} // namespace

extern "C" {
const bench_peer peer_odeint_float = {
    "odeint rk4, float", does, PEER_RK4 | PEER_CHAINS, open<float>, frame<float>, place<float>, close<float>};
const bench_peer peer_odeint_double = {"odeint rk4, double", does,          PEER_RK4 | PEER_CHAINS,
                                       open<double>,         frame<double>, place<double>,
                                       close<double>};
}
