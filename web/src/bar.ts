// bar.ts - the top of the page: mission, clock, figures, connection, stop; and the banners over the map.

import type { Commands } from './commands';
import { by_id, set_attribute, set_class, set_hidden, set_text } from './dom';
import type { HoldButton } from './hold_button';
import { is_stale, type Model } from './model';
import { VERSION } from './protocol';
import { silence_s, station_time, stop_tally } from './state';
import { stop_face } from './stop';
import { clock_words } from './words';

export class Bar {
  private readonly mission = by_id('mission');
  private readonly clock = by_id('clock');
  private readonly explored = by_id('explored');
  private readonly searched = by_id('searched');
  private readonly victims = by_id('victims');
  private readonly robots = by_id('robots');
  private readonly link = by_id('connection');
  private readonly link_words = by_id('connection-words');
  private readonly stop = by_id<HTMLButtonElement>('stop');
  private readonly stop_title = by_id('stop-title');
  private readonly stop_detail = by_id('stop-detail');
  private readonly banner = by_id('banner');
  private readonly stop_banner = by_id('stop-banner');
  private readonly notice = by_id('notice');

  constructor(
    private readonly model: Model,
    commands: Commands,
    private readonly release: HoldButton,
  ) {
    this.stop.addEventListener('pointerdown', () => commands.stop_all()); // at once, not when the finger is lifted
    this.stop.addEventListener('click', (event) => event.detail === 0 && commands.stop_all()); // by keyboard
  }

  render(now_ms: number): void {
    const { state } = this.model;
    set_text(this.mission, state.hello?.mission ?? 'no mission yet');
    set_text(this.clock, clock_words(station_time(state, now_ms)));
    set_class(this.clock, 'done', state.done);
    set_text(this.explored, state.explored_m2.toFixed(0));
    set_text(this.searched, state.searched_m2.toFixed(0));
    set_text(this.victims, String(state.victims.size));
    this.render_robots();
    this.render_connection(now_ms);
    this.render_stop();
    this.render_notice(now_ms);
  }

  private render_robots(): void {
    let lost = 0;
    for (const robot of this.model.state.robots.values()) if (robot.lost) lost++;
    const total = this.model.state.robots.size;
    set_text(this.robots, lost > 0 ? `${total - lost} of ${total}` : String(total));
    set_class(this.robots, 'trouble', lost > 0);
  }

  private render_connection(now_ms: number): void {
    const { state, connected } = this.model;
    const stale = is_stale(this.model, now_ms);
    const kind = !connected ? 'off' : state.hello === null ? 'waiting' : stale ? 'stale' : 'live';
    set_attribute(this.link, 'data-kind', kind);
    set_text(this.link_words, { off: 'not connected', waiting: 'connecting', stale: 'stale', live: 'live' }[kind]);
    set_class(document.body, 'stale', stale || (!connected && state.hello !== null));
    const words = this.banner_words(now_ms, stale);
    set_text(this.banner, words);
    set_hidden(this.banner, words === '');
  }

  private banner_words(now_ms: number, stale: boolean): string {
    const { state, connected, retry_at_ms } = this.model;
    if (state.hello && state.hello.version !== VERSION) return 'The station speaks another version: reload the page';
    const silence = Math.floor(silence_s(state, now_ms));
    const again = retry_at_ms === null ? 'connecting' : `next try in ${Math.max(0, (retry_at_ms - now_ms) / 1000).toFixed(0)} s`;
    if (stale) return `STALE – no data from the station for ${silence} s${connected ? '' : `, ${again}`}`;
    if (!connected && state.hello) return `Connection lost, ${again}`;
    return connected ? '' : `No connection to the station, ${again}`;
  }

  private render_stop(): void {
    const { state, stop_wish, connected } = this.model;
    const face = stop_face(state, stop_wish, connected);
    set_text(this.stop_title, face.title);
    set_text(this.stop_detail, face.detail);
    set_attribute(this.stop, 'data-kind', face.kind);
    set_attribute(this.stop, 'aria-label', face.kind === 'ready' ? 'Stop all robots' : `${face.title} ${face.detail}`);
    const some = state.stop_all || stop_tally(state).wanted > 0;
    set_hidden(this.release.button, !some);
    set_class(document.body, 'stopped', state.stop_all);
    set_hidden(this.stop_banner, !state.stop_all);
    const { waiting } = stop_tally(state);
    const who = waiting.length > 0 ? `Not yet stopped: robot ${waiting.join(', ')}` : 'All robots are stopped';
    set_text(this.stop_banner, `${who} – to release, hold R or the release button for 1 s`);
  }

  private render_notice(now_ms: number): void {
    const { notice } = this.model;
    const on = notice !== null && now_ms < notice.until_ms;
    if (!on) this.model.notice = null;
    set_hidden(this.notice, !on);
    if (!on || !notice) return;
    set_text(this.notice, notice.text);
    set_attribute(this.notice, 'data-level', notice.level);
  }
}
