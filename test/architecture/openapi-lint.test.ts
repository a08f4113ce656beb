import { describe, expect, it } from 'vitest'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'
import { isThorough } from '#test/support/count-cases.ts'
import { lintWithRedocly, lintWithSpectral } from './lint-openapi.ts'

// The operators' description contains every public operation, so the everyday tests lint only that one.
const audiences = isThorough ? (['public', 'operators'] as const) : (['operators'] as const)

// The linters take several seconds, more on a busy machine.
describe.each(audiences)('the API description for %s', { timeout: 30_000 }, (audience) => {
  const document = createOpenApiDocument(audience)

  it('passes Redocly without errors or warnings', async () => {
    expect(await lintWithRedocly(document)).toEqual([])
  })

  it('passes Spectral without errors or warnings', async () => {
    expect(await lintWithSpectral(document)).toEqual([])
  })
})

describe('an API description with an operation that lacks a description and responses', () => {
  const document = {
    ...createOpenApiDocument('public'),
    paths: { '/v1/broken': { get: { operationId: 'libraries.list', responses: {} } } },
  }

  it.each([
    ['Redocly', lintWithRedocly],
    ['Spectral', lintWithSpectral],
  ])('is rejected by %s', async (_, lint) => {
    expect((await lint(document)).length).toBeGreaterThan(2)
  })
})
