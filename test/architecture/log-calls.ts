import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { files, root } from './source-files.ts'

export interface LogCall {
  readonly file: string
  readonly level: string
  readonly fields: readonly string[]
  /** The messages that the call may log; null if its caller chooses the message. */
  readonly messages: readonly string[] | null
  /** The source code of the message argument. */
  readonly expression: string
}

const shipped = /^(?:bin|contracts|db|gateway|jobs|migration|native-routes|proxy|shared)\//

// `logThrottled` and `succeedsOrLogs` always log an error. Their last argument is the message.
const callStart = /\.(info|warn|error)\(|\blog\.(request)\(|\b(?:logThrottled|succeedsOrLogs)\(/g

const skipped = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/.*|\/\*[\s\S]*?\*\//y

/** Splits the list that begins at `start` at its top-level commas, up to its closing bracket. */
const splitList = (source: string, start: number): string[] => {
  const parts = ['']
  let depth = 0
  for (let index = start; index < source.length; ) {
    skipped.lastIndex = index
    const [text = source[index] ?? ''] = skipped.exec(source) ?? []
    index += text.length
    if (/^[([{]$/.test(text)) depth += 1
    if (/^[)\]}]$/.test(text)) depth -= 1
    if (depth < 0) break
    if (depth === 0 && text === ',') parts.push('')
    else parts[parts.length - 1] += text
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const literals = (text: string) => [...text.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, value = '']) => value)

// Handles a literal, a choice between two literals, and a value such as `messages[kind]` of an object in the same file.
const listMessages = (expression: string, source: string): readonly string[] | null => {
  if (/^'[^']*'$/.test(expression)) return literals(expression)
  const [, chosen] = /\?\s*('[^']*'\s*:\s*'[^']*')$/.exec(expression) ?? []
  if (chosen !== undefined) return literals(chosen)
  const [, name] = /^(\w+)\[[^\]]+\]$/.exec(expression) ?? []
  const [, values] = (name && new RegExp(`const ${name} = \\{([^}]*)\\} as const`).exec(source)) || []
  return values === undefined ? null : literals(values)
}

const listFields = (argument: string) =>
  argument.startsWith('{')
    ? splitList(argument, 1).flatMap((part) =>
        part.startsWith('...')
          ? [...part.matchAll(/\{ (\w+)/g)].map(([, name = '']) => name)
          : [/^\w+/.exec(part)?.[0] ?? part],
      )
    : []

const readSource = (file: string) => readFileSync(join(root, file), 'utf8')

const sources = files.filter((file) => shipped.test(file)).map((file) => ({ file, source: readSource(file) }))

const readCalls = ({ file, source }: (typeof sources)[number]): LogCall[] =>
  [...source.matchAll(callStart)].map((start) => {
    const given = splitList(source, start.index + start[0].length)
    const expression = given.at(-1) ?? ''
    const [, level, request] = start
    if (request !== undefined)
      return { file, level: 'info', fields: listFields(expression), messages: [request], expression }
    return {
      file,
      level: level ?? 'error',
      fields: level === undefined ? ['failure', 'suppressed'] : listFields(given[0] ?? ''),
      messages: listMessages(expression, source),
      expression,
    }
  })

export const listLogCalls = (): readonly LogCall[] => sources.flatMap(readCalls)

/**
 * Lists every function that deployed code creates with `createThrottledLog`; the name is empty if the function has
 * none.
 */
export const listThrottledLogs = () =>
  sources.flatMap(({ file, source }) =>
    [...source.matchAll(/(?:const (\w+) = )?createThrottledLog\(/g)].map(([, name = '']) => ({ file, name })),
  )
