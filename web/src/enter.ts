// enter.ts - lets the page in where the station wants a token: from the address that cairn printed, or typed in.
//
// The token stands behind the # of the address, which browsers send to nobody. It is said once, and taken out of the
// address bar; from then on the browser has a cookie that no script reads.

import { by_id, set_text } from './dom';

const MARK = '#token=';
const PATIENCE_MS = 3000;

// The token of this address, which then no longer has it; null: there is none.
export function take_token(): string | null {
  if (!location.hash.startsWith(MARK)) return null;
  const token = decodeURIComponent(location.hash.slice(MARK.length));
  history.replaceState(null, '', location.pathname + location.search);
  return token;
}

// Why the page may not come in, in words; empty when it may, or when nobody answers.
export async function ask_to_enter(token: string | null): Promise<string> {
  const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch('enter', { headers, signal, cache: 'no-store', credentials: 'same-origin' });
    return answer.status === 401 || answer.status === 429 ? await answer.text() : '';
  } catch {
    return '';
  }
}

export class EnterForm {
  private readonly root = by_id('enter');
  private readonly why = by_id('enter-why');
  private readonly field = by_id<HTMLInputElement>('enter-token');

  constructor(entered: () => void) {
    const say = async () => {
      const why = await ask_to_enter(this.field.value.trim());
      if (why) return this.show(why);
      this.root.hidden = true;
      this.field.value = '';
      entered();
    };
    by_id('enter-say').addEventListener('click', () => void say());
    this.field.addEventListener('keydown', (event) => event.key === 'Enter' && void say());
  }

  get shown(): boolean {
    return !this.root.hidden;
  }

  show(why: string): void {
    set_text(this.why, why);
    this.root.hidden = false;
    this.field.focus();
  }
}
