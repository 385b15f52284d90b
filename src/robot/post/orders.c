#include "robot/post/orders.h"
#include "robot/reflex/reflex.h"

void cairn_orders_init(cairn_orders *orders, uint8_t robot_id, const cairn_reflex_cells *reflex,
                       const cairn_behaviour_cells *behaviour, const cairn_orders_state *begin)
{
    *orders = (cairn_orders){.robot_id = robot_id, .reflex = *reflex, .behaviour = *behaviour, .state = *begin};
    orders->stop.stop = begin->mode == CAIRN_MODE_STOPPED;
    orders->stop.release_count = begin->release_count;
}

// The link delivers only the newest, and only while it is fresh. It came at some time since the step before this one:
// the earliest counts, because the robot must stand a stated time after that.
static void take_stick(cairn_orders *orders, const cairn_msg_stick *stick, cairn_mono now)
{
    const cairn_stick state = {.received = cairn_mono_add(now, -CAIRN_REFLEX_PERIOD_NS),
                               .forward = stick->forward_pct / 100.0,
                               .turn = stick->turn_pct / 100.0,
                               .dead_man = stick->dead_man != 0};
    cairn_cell_write(orders->behaviour.stick, &state, sizeof state);
}

// As the stick: the link delivers only the newest, and only while it is fresh. Let go, it is as if never held.
static void take_override(cairn_orders *orders, const cairn_msg_override *held, cairn_mono now)
{
    const cairn_override state = {.issued = cairn_mono_add(now, -CAIRN_REFLEX_PERIOD_NS),
                                  .guards = held->guards & CAIRN_GUARDS_OVERRIDABLE};
    cairn_cell_write(orders->reflex.override, &state, sizeof state);
}

static void take_stop(cairn_orders *orders, const cairn_msg_stop *stop)
{
    if (stop->stop) {
        orders->stop.stop = true;
        orders->state.mode = CAIRN_MODE_STOPPED;
    } else if (orders->stop.stop && stop->release_count > orders->stop.release_count) {
        orders->stop.stop = false;
        orders->stop.release_count = orders->state.release_count = stop->release_count;
        orders->state.mode = CAIRN_MODE_IDLE;
    }
}

// Orders count up from the one that telemetry names. One comes again when its acknowledgement was lost with the mind
// that took it, and must not set going a robot that waits to be checked. Only a stop message stops and releases; the
// order is taken note of all the same, so that it is not said for ever.
static void take_mode(cairn_orders *orders, const cairn_msg_mode_order *order)
{
    if (order->order <= orders->state.order) { return; }
    orders->state.order = order->order;
    if (orders->stop.stop || order->mode == CAIRN_MODE_STOPPED) { return; }
    orders->state.mode = (cairn_mode)order->mode;
}

bool cairn_orders_take(cairn_orders *orders, const cairn_radio_message *message, cairn_mono now)
{
    const uint8_t us = orders->robot_id;
    switch (message->id) {
    case CAIRN_MSG_STICK:
        if (message->stick.robot != us) { return false; }
        take_stick(orders, &message->stick, now);
        break;
    case CAIRN_MSG_OVERRIDE:
        if (message->override.robot != us) { return false; }
        take_override(orders, &message->override, now);
        break;
    case CAIRN_MSG_MODE_ORDER:
        if (message->mode_order.robot != us) { return false; }
        take_mode(orders, &message->mode_order);
        break;
    case CAIRN_MSG_STOP:
        if (message->stop.robot != 0 && message->stop.robot != us) { return false; }
        take_stop(orders, &message->stop);
        break;
    default: return false;
    }
    cairn_orders_tell(orders, now);
    return true;
}

// Reflex that has seen all our releases and holds a stop heard of it from a mind before this one, or found nonsense in
// its memory. Taken over, it is shown to the operator, who can release it.
void cairn_orders_heed_reflex(cairn_orders *orders)
{
    const cairn_reflex_state *reflex = cairn_cell_latest(orders->reflex.state_behaviour, NULL);
    if (reflex == NULL || !reflex->stop_latched || orders->stop.stop) { return; }
    if (reflex->release_count_max < orders->stop.release_count) { return; } // it has yet to hear of the last one
    orders->stop.stop = true;
    orders->stop.release_count = orders->state.release_count = reflex->release_count_max;
    orders->state.mode = CAIRN_MODE_STOPPED;
}

void cairn_orders_tell(cairn_orders *orders, cairn_mono now)
{
    const cairn_mode_order mode = {.issued = now, .mode = orders->state.mode};
    orders->stop.issued = now;
    cairn_cell_write(orders->reflex.stop, &orders->stop, sizeof orders->stop);
    cairn_cell_write(orders->behaviour.mode, &mode, sizeof mode);
    cairn_cell_write(orders->behaviour.orders, &orders->state, sizeof orders->state);
}
