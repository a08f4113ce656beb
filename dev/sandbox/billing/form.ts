interface FormFields {
  [name: string]: string | FormFields
}

const emptyFields = (): FormFields => Object.create(null)

const setField = (fields: FormFields, [name = '', ...rest]: readonly string[], value: string) => {
  if (rest.length === 0) {
    fields[name] = value
    return
  }
  const existing = fields[name]
  const inner = typeof existing === 'object' ? existing : emptyFields()
  fields[name] = inner
  setField(inner, rest, value)
}

/** Parses the provider's form encoding: `items[0][price]=p` becomes `{ items: { 0: { price: 'p' } } }`. */
export const parseForm = (text: string): FormFields => {
  const fields = emptyFields()
  for (const [name, value] of new URLSearchParams(text))
    setField(fields, [...name.matchAll(/[^[\]]+/g)].map(String), value)
  return fields
}
