interface Fields {
  [name: string]: string | Fields
}

const emptyFields = (): Fields => Object.create(null)

const put = (fields: Fields, [name = '', ...rest]: readonly string[], value: string) => {
  if (rest.length === 0) {
    fields[name] = value
    return
  }
  const known = fields[name]
  const inner = typeof known === 'object' ? known : emptyFields()
  fields[name] = inner
  put(inner, rest, value)
}

/** A form as this provider's API takes it: `items[0][price]=p` is `{ items: { 0: { price: 'p' } } }`. */
export const parseForm = (text: string): Fields => {
  const fields = emptyFields()
  for (const [name, value] of new URLSearchParams(text))
    put(fields, [...name.matchAll(/[^[\]]+/g)].map(String), value)
  return fields
}
