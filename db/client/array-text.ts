const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** A list as the text of an array of PostgreSQL. */
export const formatArray = (elements: readonly (string | null)[]): string =>
  `{${elements.map((element) => (element === null ? 'NULL' : quote(element))).join(',')}}`

// An element in quotes, or one without, which is null if it reads NULL.
const element = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs

/** The elements of an array of PostgreSQL with one dimension. */
export const parseArray = (text: string): (string | null)[] =>
  [...text.matchAll(element)].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === undefined || /^null$/i.test(plain) ? null : plain
  })
