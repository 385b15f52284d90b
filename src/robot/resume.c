#include "robot/resume.h"
#include <string.h>

cairn_resume cairn_resume_decide(const cairn_resume_facts *facts)
{
    if (!facts->checkpoint) { return CAIRN_RESUME_ANEW; }
    if (!facts->same_odometry) { return CAIRN_RESUME_LOST; }
    if (!facts->same_reflex || facts->released) { return CAIRN_RESUME_CHECK; }
    return facts->start_count > CAIRN_RESUME_STARTS_MAX ? CAIRN_RESUME_WAIT : CAIRN_RESUME_GO_ON;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

// The greatest that reflex has seen, or was told.
static uint32_t release_count(const cairn_resume_past *past)
{
    const uint32_t seen = past->reflex != NULL ? past->reflex->release_count_max : 0;
    return past->said != NULL ? larger(seen, past->said->release_count) : seen;
}

static bool is_stopped(const cairn_resume_past *past)
{
    // The byte is looked at as such: whatever is not a clean "no" is a stop.
    unsigned char said = 0;
    if (past->said != NULL) { memcpy(&said, &past->said->stop, sizeof said); }
    return said != 0 || (past->reflex != NULL && past->reflex->stop_latched);
}

cairn_resume_facts cairn_resume_look(const cairn_resume_past *past, cairn_mono now)
{
    const cairn_checkpoint *last = past->last;
    const cairn_reflex_state *reflex = past->reflex;
    if (reflex == NULL || !cairn_checkpoint_is_sound(last)) { return (cairn_resume_facts){0}; }
    return (cairn_resume_facts){
        .checkpoint = true,
        .same_odometry = last->odom_id == reflex->odom_id,
        .same_reflex = last->reflex_start_count == reflex->start_count,
        .released = release_count(past) > last->orders.release_count,
        .start_count = 1 + cairn_checkpoint_starts_within(last, CAIRN_RESUME_WITHIN_NS, now),
    };
}

cairn_orders_state cairn_resume_orders(cairn_resume resume, const cairn_resume_past *past)
{
    const cairn_checkpoint *last = past->last;
    cairn_orders_state orders = {.mode = CAIRN_MODE_IDLE, .release_count = release_count(past)};
    bool stopped = is_stopped(past);
    if (resume != CAIRN_RESUME_ANEW) {
        stopped = stopped || last->orders.mode == CAIRN_MODE_STOPPED;
        orders.release_count = larger(orders.release_count, last->orders.release_count);
        if (resume != CAIRN_RESUME_LOST) { orders.order = last->orders.order; }
        if (resume == CAIRN_RESUME_GO_ON) { orders.mode = last->orders.mode; }
    }
    if (stopped) { orders.mode = CAIRN_MODE_STOPPED; }
    return orders;
}
