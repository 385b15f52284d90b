// dom.ts - the little that is needed to build elements and to change only what differs.

type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  class_name = '',
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (class_name) made.className = class_name;
  made.append(...children);
  return made;
}

export function by_id<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

// Reading the text of one text node is cheap; writing it is not.
export function set_text(target: HTMLElement, text: string): void {
  const only = target.firstChild;
  if (only instanceof Text && !only.nextSibling) {
    if (only.data !== text) only.data = text;
  } else target.textContent = text;
}

export function set_class(target: HTMLElement, name: string, on: boolean): void {
  if (target.classList.contains(name) !== on) target.classList.toggle(name, on);
}

export function set_attribute(target: HTMLElement, name: string, value: string): void {
  if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

export function set_hidden(target: HTMLElement, hidden: boolean): void {
  if (target.hidden !== hidden) target.hidden = hidden;
}

export function set_property(target: HTMLElement, name: string, value: string): void {
  if (target.style.getPropertyValue(name) !== value) target.style.setProperty(name, value);
}
