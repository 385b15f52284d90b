// map_tools.ts - what stands on the rim of the map: scale, place under the pointer, zoom, fit, follow.

import { round_length_m } from './camera';
import type { Commands } from './commands';
import { by_id, set_attribute, set_hidden, set_property, set_text } from './dom';
import type { MapView } from './map_view';
import type { Model } from './model';
import { place_words } from './words';

const SCALE_PX_MAX = 140;

export class MapTools {
  private readonly scale = by_id('scale');
  private readonly scale_words = by_id('scale-words');
  private readonly place = by_id('place');
  private readonly follow = by_id<HTMLButtonElement>('follow');
  private readonly fit = by_id<HTMLButtonElement>('fit');
  private readonly empty = by_id('map-empty');

  constructor(
    private readonly model: Model,
    private readonly view: MapView,
    commands: Commands,
  ) {
    by_id('zoom-in').addEventListener('click', () => view.zoom(1.5));
    by_id('zoom-out').addEventListener('click', () => view.zoom(1 / 1.5));
    this.fit.addEventListener('click', () => view.fit());
    this.follow.addEventListener('click', () => commands.toggle_follow());
  }

  render(): void {
    const { camera, follow, fitted, state, store } = this.model;
    const length = round_length_m(camera.px_per_m, SCALE_PX_MAX);
    set_property(this.scale, '--length', `${(length * camera.px_per_m).toFixed(1)}px`);
    set_text(this.scale_words, length < 1 ? `${(length * 100).toFixed(0)} cm` : `${length} m`);
    const { hover } = this.view;
    set_text(this.place, hover ? `x ${place_words(...this.view.to_map(hover.x_px, hover.y_px)).replace(', ', '  y ')} m` : '');
    set_hidden(this.place, hover === null);
    set_attribute(this.follow, 'aria-pressed', String(follow));
    set_attribute(this.fit, 'aria-pressed', String(fitted && !follow));
    const waiting = state.hello === null ? 'Waiting for the station' : 'No robot has reported yet';
    set_text(this.empty, waiting);
    set_hidden(this.empty, state.robots.size > 0 || (store?.known_count ?? 0) > 0);
  }
}
