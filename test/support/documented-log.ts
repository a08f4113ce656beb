import { listCode, readTables } from './logs-and-metrics-page.ts'

export interface DocumentedMessage {
  readonly message: string
  readonly level: string
  /** The names in the message's row, such as field names. */
  readonly names: readonly string[]
}

const listNames = (cell: string) => listCode(cell).map((code) => /^\w*/.exec(code)?.[0] ?? '')

export const readDocumentedFields = (): readonly string[] =>
  readTables('| field | in | meaning |').flatMap(([fields = '']) => listNames(fields))

export const readDocumentedMessages = (): readonly DocumentedMessage[] => {
  let above: readonly string[] = []
  return readTables('| message | level | fields |').flatMap(([messages = '', levels = '', text = '']) => {
    const names = [...(/\bthe same\b|\bas above\b/.test(text) ? above : []), ...listNames(text)]
    above = names
    return listCode(messages).map((message, index) => ({
      message,
      level: levels.split(', ')[index] ?? levels,
      names,
    }))
  })
}
