import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { type ApiShape, listBreakingChanges } from './breaking-changes.ts'

const path = join(import.meta.dirname, '../../../contracts/accepted-api.json')

// Texts and examples. Changing them breaks no client.
const texts = ['summary', 'description', 'example', 'examples', 'tags']

// Keeps every name in `properties`, because a field may have the same name as one of these texts.
const withoutTexts = (value: unknown, isNaming = false): unknown => {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNaming || !texts.includes(key))
      .map(([key, inner]) => [key, withoutTexts(inner, key === 'properties' && !isNaming)]),
  )
}

const asShape = (value: unknown) => value as ApiShape

/** Returns the parts of all routes' descriptions that clients rely on, without texts and examples. */
export const createShape = (): ApiShape => {
  const { paths, webhooks, components } = createOpenApiDocument('operators')
  const { examples: _examples, ...relevant } = components
  return asShape(withoutTexts({ paths, webhooks, components: relevant }))
}

export const readAcceptedShape = (): ApiShape => asShape(JSON.parse(readFileSync(path, 'utf8')))

const lineWidth = 110

// Keeps on one line whatever fits, so that a diff shows which operation or field has changed.
const format = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth) return line
  const inner = `${indent} `
  const lines = Array.isArray(value)
    ? value.map((each) => inner + format(each, inner))
    : Object.entries(value).map(([key, each]) => `${inner}${JSON.stringify(key)}: ${format(each, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

const writeAcceptedShape = (shape: ApiShape) => writeFileSync(path, `${format(shape)}\n`)

const readFlag = (args: readonly string[]) => {
  const { values } = readCommandLine(
    {
      name: 'accept-api',
      does: 'Accepts what was added to the API description.',
      flags: { breaking: { type: 'boolean', means: 'also accepts changes that break clients' } },
    },
    args,
  )
  return values.breaking ?? false
}

const acceptApi = () => {
  const acceptsBreaking = readArgumentsOrExit('accept-api', readFlag, 1)
  const shape = createShape()
  const changes = listBreakingChanges(readAcceptedShape(), shape)
  if (changes.length > 0 && !acceptsBreaking) {
    process.stderr.write(
      `${changes.join('\n')}\nThese changes break clients, so nothing was accepted. Offer the new version under a new path, or keep the old field and add the new one beside it. If no client is affected, run this with --breaking.\n`,
    )
    process.exitCode = 1
  } else {
    writeAcceptedShape(shape)
    process.stdout.write('contracts/accepted-api.json: accepted\n')
  }
}

// `npm run accept-api`
if (import.meta.main) acceptApi()
