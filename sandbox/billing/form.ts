interface Fields {
  [name: string]: string | Fields
}

const emptyFields = (): Fields => Object.create(null)

const setField = (fields: Fields, [name = '', ...rest]: readonly string[], value: string) => {
  if (rest.length === 0) {
    fields[name] = value
    return
  }
  const existing = fields[name]
  const inner = typeof existing === 'object' ? existing : emptyFields()
  fields[name] = inner
  setField(inner, rest, value)
}

/** Parses the provider's form encoding: `items[0][price]=p` is `{ items: { 0: { price: 'p' } } }`. */
export const parseForm = (text: string): Fields => {
  const fields = emptyFields()
  for (const [name, value] of new URLSearchParams(text))
    setField(fields, [...name.matchAll(/[^[\]]+/g)].map(String), value)
  return fields
}
