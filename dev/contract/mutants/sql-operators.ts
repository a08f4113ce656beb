export interface Edit {
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly text: string
}

type Rule = readonly [operator: string, pattern: RegExp, replacement: string]

// A term ends where the next one begins or where its clause ends.
const term = String.raw`(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?`
const endOfTerm = String.raw`(?=\s*(?:\band\b|\bor\b|\bgroup by\b|\border by\b|\blimit\b|\bthen\b|\breturning\b|\)|$))`

const swap = (operator: string, a: string, b: string, end = /\b/): readonly Rule[] => [
  [operator, new RegExp(`\\b${a}${end.source}`, 'g'), b],
  [operator, new RegExp(`\\b${b}${end.source}`, 'g'), a],
]

const rules: readonly Rule[] = [
  ['drop term', new RegExp(String.raw`\s\b(?:and|or)\b${term}${endOfTerm}`, 'g'), ''],
  ['drop term', new RegExp(String.raw`(?<=\()${term}\b(?:and|or)\s`, 'g'), ''],
  ['drop term', new RegExp(String.raw`(?<=\bwhere\b)\s${term}\b(?:and|or)\b`, 'g'), ''],
  ...swap('logical', 'and', 'or'),
  ...swap('negation', 'is null', 'is not null'),
  ...swap('negation', 'is distinct from', 'is not distinct from'),
  ['negation', /\bnot exists\b/g, 'exists'],
  ['negation', /(?<!\bnot )\bexists\b/g, 'not exists'],
  ['negation', /(?<!\bis )\bnot (?=[^a-z])/g, ''],
  ['comparison', /<>/g, '='],
  ['comparison', /<=/g, '<'],
  ['comparison', />=/g, '>'],
  ['comparison', /<(?![=>@])/g, '<='],
  ['comparison', /(?<![-<>])>(?![=>])/g, '>='],
  ['comparison', /(?<![<>!:=])=(?![>=])/g, '<>'],
  ...swap('order', 'desc', 'asc'),
  ...swap('order', 'nulls last', 'nulls first'),
  ...swap('extreme', 'min', 'max', /(?=\()/),
  ...swap('extreme', 'greatest', 'least', /(?=\()/),
  ['drop call', /\b(?:round|ceil|floor|lower|upper|trim|btrim)(?=\()/g, ''],
  ['drop filter', /\sfilter \(where (?:[^()]|\([^()]*\))*\)/g, ''],
  ['drop distinct', /\bdistinct (?!from\b)/g, ''],
  ['join', /\bleft join\b/g, 'join'],
  ['arithmetic', /(?<= )\+(?= )/g, '-'],
  ['arithmetic', /(?<= )-(?= )/g, '+'],
  ...swap('boolean', 'true', 'false'),
]

/**
 * Returns the offset of the first comma among a call's arguments, and of the closing parenthesis; -1 if there is none.
 */
const findArguments = (text: string, start: number) => {
  let comma = -1
  for (let index = start, depth = 0; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1
    else if (text[index] === ')' && depth-- === 0) return { comma, end: index }
    else if (text[index] === ',' && depth === 0 && comma < 0) comma = index
  }
  return { comma: -1, end: -1 }
}

const listDefaults = (text: string): Edit[] =>
  Array.from(text.matchAll(/\bcoalesce\(/g)).flatMap(({ index, 0: { length } }) => {
    const { comma, end } = findArguments(text, index + length)
    return comma < 0 ? [] : [{ operator: 'drop default', start: comma, end, text: '' }]
  })

// What a query selects inside `exists` makes no difference.
const listNumbers = (text: string): Edit[] =>
  Array.from(text.matchAll(/(?<![\w.$])(?<!\bexists\s*\(\s*select\s+)\d+(?![\w.])/g)).flatMap(
    ({ index, 0: digits }) => {
      const change = (by: number) => ({
        operator: 'number',
        start: index,
        end: index + digits.length,
        text: String(Number(digits) + by),
      })
      return digits === '0' ? [change(1)] : [change(1), change(-1)]
    },
  )

/**
 * Lists a statement's possible faults. In `text`, the caller has masked whatever must not be edited, without changing
 * the length.
 */
export const listSqlEdits = (text: string): Edit[] => [
  ...rules.flatMap(([operator, pattern, replacement]) =>
    Array.from(text.matchAll(pattern), ({ index, 0: found }) => ({
      operator,
      start: index,
      end: index + found.length,
      text: replacement,
    })),
  ),
  ...listDefaults(text),
  ...listNumbers(text),
]
