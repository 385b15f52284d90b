// colours.ts - the colours of what is drawn on the canvases; style.css has those of the rest.
//
// Robots have seven hues that people with any colour sight tell apart by hue or lightness, twice: filled, then
// outlined. Red is for stops and victims alone.

export type ThemeName = 'dark' | 'light';

export interface Theme {
  unknown: string;
  hatch: string;
  free: string;
  looked_at: string;
  wall: string;
  grid: string;
  edge: string; // of symbols, against the map
  text: string;
  text_back: string;
  selection: string;
  amber: string;
  red: string;
  hues: readonly string[];
}

const DARK: Theme = {
  unknown: '#0d1116',
  hatch: '#171d25',
  free: '#323b46',
  looked_at: '#2d4a50',
  wall: '#e9eef4',
  grid: 'rgba(233,238,244,0.07)',
  edge: '#0a0d11',
  text: '#f2f5f8',
  text_back: 'rgba(10,13,17,0.82)',
  selection: '#ffffff',
  amber: '#ffb224',
  red: '#e5192f',
  hues: ['#56b4e9', '#f2e64b', '#2fcf9f', '#f39a2b', '#c3a1ff', '#ff9bd2', '#d3dae2'],
};

const LIGHT: Theme = {
  unknown: '#b4bcc5',
  hatch: '#aab3bd',
  free: '#ffffff',
  looked_at: '#d6efe9',
  wall: '#0c1116',
  grid: 'rgba(12,17,22,0.09)',
  edge: '#ffffff',
  text: '#0c1116',
  text_back: 'rgba(255,255,255,0.88)',
  selection: '#000000',
  amber: '#9a5b00',
  red: '#c4001a',
  hues: ['#0068b3', '#7d6b00', '#00795c', '#b25400', '#6738c7', '#b02a7f', '#46525f'],
};

export const THEMES: Record<ThemeName, Theme> = { dark: DARK, light: LIGHT };

export function robot_hue(theme: Theme, id: number): string {
  return theme.hues[(Math.max(1, id) - 1) % theme.hues.length]!;
}

export function robot_filled(theme: Theme, id: number): boolean {
  return Math.floor((Math.max(1, id) - 1) / theme.hues.length) % 2 === 0;
}

// As ImageData on a little-endian machine wants it.
export function packed(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
