import { errorTable, isErrorCode } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { type Preparation, preparations } from './preparations.ts'

const successOf = (label: Label) => Number(Object.keys(contracts[label].responses)[0])

/**
 * Returns the status of the core's response that differed, if the difference reveals it: through the status itself, an
 * error code, or a header that only one error has. Otherwise, assumes a success.
 */
const findExpectedStatus = (label: Label, path: string, core: string | null): number => {
  if (path === 'status') return /^\d{3}$/.test(core ?? '') ? Number(core) : successOf(label)
  if (path === 'headers.www-authenticate') return 401
  const [, code = ''] = /^"([a-z_]+)"$/.exec(core ?? '') ?? []
  return path === 'body.error' && isErrorCode(code) ? errorTable[code][0][0] : successOf(label)
}

export interface Mismatch {
  readonly signature: string
  readonly kind: string
  readonly path: string
  /** Masked values; null for a side without a value. */
  readonly exampleNative: string | null
  readonly exampleCore: string | null
}

const lineWidth = 110

const listParams = (label: Label) =>
  Array.from(rowOf(label).path.matchAll(/:(\w+)/g), ([, name = '']) => name)

const unknownValues: Readonly<Record<string, string>> = {
  slug: "context.unique('unknown')",
  token: "'a'.repeat(43)",
}

const prepareUnknown = (label: Label, isSignedIn: boolean): Preparation => {
  const params = listParams(label)
  const values = params.map((name) => `${name}: ${unknownValues[name] ?? 'unknownId'}`)
  const fields = [
    ...(isSignedIn ? ['as: await context.account()'] : []),
    ...(values.length > 0 ? [`params: { ${values.join(', ')} }`] : []),
  ]
  const needsId = params.some((name) => unknownValues[name] === undefined)
  return {
    imports: needsId ? { './fixtures/links.ts': ['unknownId'] } : {},
    steps: [],
    request: fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}',
  }
}

const selectPreparation = (label: Label, status: number) => {
  if (status === 401) return prepareUnknown(label, false)
  if (status === 404) return prepareUnknown(label, rowOf(label).auth.startsWith('actor'))
  return preparations[label]
}

// Uses only the example's type, because its numbers and booleans are not masked and could be a customer's data.
const typeOfExample = (example: string | null) => {
  if (example === null) return 'nothing'
  const [, masked] = /^(string|number|boolean|object|array)(?: #| of |$)/.exec(example) ?? []
  if (masked !== undefined) return masked
  if (example === 'null') return example
  return example.startsWith('"') ? 'string' : /^(?:true|false)$/.test(example) ? 'boolean' : 'number'
}

// Replaces special characters, because a path can contain names that are not in the contract.
const toLiteral = (text: string) => `'${text.replaceAll(/[^\w.*:,() -]/g, '?')}'`

const writeTitle = ({ kind, path, exampleNative, exampleCore }: Mismatch) => {
  const [native, core] = [typeOfExample(exampleNative), typeOfExample(exampleCore)]
  return toLiteral(`agrees with the core on ${path} (${kind}: native ${native}, core ${core})`)
}

const toCamelCase = (label: string) =>
  label.replaceAll(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase())

const writeDefinition = (label: Label, status: number, title: string, prepare: string[]) => {
  const first = `  defineScenario('${label}', ${status}, ${title}, ${prepare[0]}`
  if (first.length <= lineWidth) return [first, ...prepare.slice(1).map((line) => `  ${line}`), '  }),']
  const lines = [`'${label}',`, `${status},`, `${title},`, ...prepare, '},']
  return ['  defineScenario(', ...lines.map((line) => `    ${line}`), '  ),']
}

/**
 * Writes a scenario that gets a response of the same shape as the one that differed. The scenario contains none of the
 * difference's values. Returns null unless the route is a GET that both sides serve.
 */
export const writeScenario = (label: Label, mismatch: Mismatch) => {
  const status = findExpectedStatus(label, mismatch.path, mismatch.exampleCore)
  const preparation = preparations[label] && selectPreparation(label, status)
  if (preparation === undefined) return null
  const { imports, steps, request } = preparation
  const usesContext = [...steps, request].some((line) => line.includes('context'))
  const prepare = [
    `async (${usesContext ? 'context' : ''}) => {`,
    ...steps.map((step) => `  ${step}`),
    `  return ${request}`,
  ]
  return {
    /** Relative to the repository's root. */
    file: `test/scenarios/${label}.${mismatch.signature}.ts`,
    scenario: [
      "import { defineScenario } from '#migration/parity/run/scenario.ts'",
      ...Object.entries(imports).map(([file, names]) => `import { ${names.join(', ')} } from '${file}'`),
      '',
      `export const ${toCamelCase(label)}Mismatch = [`,
      ...writeDefinition(label, status, writeTitle(mismatch), prepare),
      ']',
    ].join('\n'),
  }
}
