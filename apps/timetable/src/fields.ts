import { make } from './dom.js';
import type { Field } from './schema.js';

/** An input of the form for one member of the payload. */
export interface FieldInput {
  readonly field: Field;
  readonly element: HTMLElement;
  readonly input: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  /**
   * The entered value; undefined omits the member.
   *
   * @throws SyntaxError if the field requires JSON and the text is not
   */
  value: () => unknown;
}

export function fieldInput(field: Field): FieldInput {
  const { kind, schema, required, label, choices } = field;
  const id = `field-${field.path.join('-')}`;
  const input = inputFor(field);
  input.id = id;
  input.required = required;
  const text = make('span', { className: 'label' }, required ? label : `${label} (optional)`);
  const element = make('label', { className: kind === 'flag' ? 'field flag' : 'field', htmlFor: id }, text, input);
  if (schema.description !== undefined) element.append(make('small', {}, schema.description));
  const value = (): unknown => {
    if (kind === 'flag') return (input as HTMLInputElement).checked;
    if (input.value === '') return undefined;
    if (kind === 'choice') return choices[Number(input.value)];
    if (kind === 'number') return Number(input.value);
    return kind === 'json' ? (JSON.parse(input.value) as unknown) : input.value;
  };
  return { field, element, input, value };
}

function inputFor({ kind, schema, choices, required }: Field): FieldInput['input'] {
  if (kind === 'choice') {
    const options = choices.map((choice, index) => {
      const named = typeof choice === 'boolean' ? ['No', 'Yes'][Number(choice)] : choice;
      const text = typeof named === 'string' ? named : JSON.stringify(choice);
      return make('option', { value: String(index) }, text);
    });
    return make('select', {}, make('option', { value: '' }, required ? 'Choose…' : 'Not set'), ...options);
  }
  if (kind === 'long') return make('textarea', { rows: 2, maxLength: schema.maxLength! });
  if (kind === 'json') return make('textarea', { rows: 2, placeholder: 'JSON', spellcheck: false });
  if (kind === 'flag') return make('input', { type: 'checkbox' });
  if (kind === 'number') {
    const { minimum = '', maximum = '', type } = schema;
    const step = type === 'integer' ? '1' : 'any';
    return make('input', { type: 'number', min: String(minimum), max: String(maximum), step });
  }
  return make('input', { type: schema.format === 'email' ? 'email' : 'text', autocomplete: 'off' });
}

/** Sets a member of a payload, by its path. */
export function setAt(payload: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let target = payload;
  for (const name of path.slice(0, -1)) {
    const next = target[name];
    target = (typeof next === 'object' && next !== null ? next : (target[name] = {})) as Record<string, unknown>;
  }
  target[path.at(-1)!] = value;
}
