import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'
import type { ApiShape } from './breaking-changes.ts'

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

export const writeAcceptedShape = (shape: ApiShape) => writeFileSync(path, `${format(shape)}\n`)
