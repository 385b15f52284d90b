#include "robot/resume.h"

cairn_resume cairn_resume_decide(const cairn_resume_facts *facts)
{
    if (!facts->checkpoint) { return CAIRN_RESUME_ANEW; }
    if (!facts->same_odometry) { return CAIRN_RESUME_LOST; }
    if (!facts->same_reflex) { return CAIRN_RESUME_CHECK; }
    return facts->start_count > CAIRN_RESUME_STARTS_MAX ? CAIRN_RESUME_WAIT : CAIRN_RESUME_GO_ON;
}

cairn_resume_facts cairn_resume_look(const cairn_checkpoint *last, const cairn_reflex_state *reflex, cairn_mono now)
{
    if (reflex == NULL || !cairn_checkpoint_is_sound(last)) { return (cairn_resume_facts){0}; }
    return (cairn_resume_facts){
        .checkpoint = true,
        .same_odometry = last->odom_id == reflex->odom_id,
        .same_reflex = last->reflex_start_count == reflex->start_count,
        .start_count = 1 + cairn_checkpoint_starts_within(last, CAIRN_RESUME_WITHIN_NS, now),
    };
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

cairn_orders_state cairn_resume_orders(cairn_resume resume, const cairn_checkpoint *last,
                                       const cairn_reflex_state *reflex)
{
    cairn_orders_state orders = {.mode = CAIRN_MODE_IDLE};
    bool stopped = reflex != NULL && reflex->stop_latched;
    if (reflex != NULL) { orders.release_count = reflex->release_count_max; }
    if (resume != CAIRN_RESUME_ANEW) {
        stopped = stopped || last->orders.mode == CAIRN_MODE_STOPPED;
        orders.release_count = larger(orders.release_count, last->orders.release_count);
        if (resume != CAIRN_RESUME_LOST) { orders.order = last->orders.order; }
        if (resume == CAIRN_RESUME_GO_ON) { orders.mode = last->orders.mode; }
    }
    if (stopped) { orders.mode = CAIRN_MODE_STOPPED; }
    return orders;
}
