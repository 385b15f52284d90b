// pointer.ts - the mouse on the map: drag to pan, wheel to zoom, click a robot to choose it, click the ground to send.

import type { Camera } from './camera';
import type { Commands } from './commands';
import type { MapView } from './map_view';
import { robot_at } from './marks';
import { CHANGED, type Model } from './model';

const DRAG_PX = 5; // what moves less is a click
const ZOOM_PER_PX = 0.0016;

export function listen_to_pointer(
  model: Model,
  view: MapView,
  commands: Commands,
  changed: (what: number) => void,
): void {
  const area = view.area;
  let from: { x: number; y: number; button: number; camera: Camera; dragging: boolean } | null = null;

  const place = (event: MouseEvent) => {
    const { left, top } = area.getBoundingClientRect();
    return { x_px: event.clientX - left, y_px: event.clientY - top };
  };
  const on_tool = (event: Event) => event.target instanceof Element && event.target.closest('button') !== null;

  const hover = (event: PointerEvent | null) => {
    view.hover = event && !on_tool(event) && !from?.dragging ? place(event) : null;
    const robot = view.hover && robot_at(model, view.size, view.hover.x_px, view.hover.y_px);
    area.dataset['cursor'] = from?.dragging ? 'drag' : robot !== null ? 'robot' : model.selected !== null ? 'send' : 'pan';
    changed(CHANGED.map);
  };

  area.addEventListener('pointerdown', (event) => {
    if (on_tool(event) || event.button > 1) return;
    area.focus({ preventScroll: true });
    area.setPointerCapture(event.pointerId);
    from = { x: event.clientX, y: event.clientY, button: event.button, camera: model.camera, dragging: false };
  });

  area.addEventListener('pointermove', (event) => {
    if (from) {
      const dx = event.clientX - from.x;
      const dy = event.clientY - from.y;
      from.dragging ||= Math.hypot(dx, dy) > DRAG_PX;
      if (from.dragging) view.pan(dx, dy, from.camera);
    }
    hover(event);
  });

  area.addEventListener('pointerup', (event) => {
    const click = from && !from.dragging && from.button === 0;
    from = null;
    if (click) clicked(place(event));
    hover(event);
  });

  const clicked = ({ x_px, y_px }: { x_px: number; y_px: number }) => {
    const robot = robot_at(model, view.size, x_px, y_px);
    if (robot !== null) commands.select(robot);
    else if (model.selected !== null) commands.go(view.to_map(x_px, y_px));
  };

  area.addEventListener('pointercancel', () => {
    from = null;
    hover(null);
  });
  area.addEventListener('pointerleave', () => hover(null));
  area.addEventListener('contextmenu', (event) => event.preventDefault());
  area.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1);
      view.zoom(Math.exp(-pixels * ZOOM_PER_PX), place(event));
    },
    { passive: false },
  );
}
