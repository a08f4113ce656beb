type Field = [name: string, value: string]

const listFields = (name: string, value: unknown): Field[] => {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null) return [[name, String(value ?? '')]]
  return Object.entries(value).flatMap(([key, inner]) => listFields(`${name}[${key}]`, inner))
}

/** Encodes parameters as Stripe expects them: `{ items: [{ price: 'p' }] }` is `items[0][price]=p`. Omits undefined. */
export const encodeForm = (parameters: object): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => listFields(name, value)),
  ).toString()
