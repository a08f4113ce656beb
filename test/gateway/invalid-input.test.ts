import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Issue } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { fillPath, labels, rowOf } from '#contracts/shared/row.ts'
import { listErrorCodes } from '#gateway/openapi/route-errors.ts'
import { describedCodes, resolveRef } from '#test/support/api-description.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { platforms } from '#test/support/gateway-options.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const paramNames = ['trackId', 'packId', 'libraryId']

const listParams = (label: Label) =>
  Array.from(rowOf(label).path.matchAll(/:(\w+)/g), ([, name = '']) => name)

const validates = (label: Label) =>
  rowOf(label).auth.startsWith('actor') && listErrorCodes(label).includes('validation_error')

const validatingLabels = labels.filter(
  (label) => validates(label) && listParams(label).every((name) => paramNames.includes(name)),
)

describe.each(platforms)('the error for invalid input on %s', (platform) => {
  const gateway = startTestGateway({ control: 'fixed', core: 'sandbox', platform })

  it('is tested here for every forwarded route that validates its input', () => {
    const forwarded = labels.filter((label) => validates(label) && rowOf(label).runtime === 'proxy')
    expect(validatingLabels).toEqual(expect.arrayContaining(forwarded))
  })

  it.each(validatingLabels)('has a code that the API description lists: %s', async (label) => {
    const { accountId, token, post, put } = await gateway.signUp()
    const { method, runtime } = rowOf(label)
    const params: Readonly<Record<string, string>> = {
      trackId: await insertTrackOf(gateway.database.sql, accountId),
      packId: (await insertPackOf(gateway.database.sql, accountId)).packId,
      libraryId: (await post('/v1/libraries', { name: 'Mine' })).body.id,
    }
    const whole = [{ collaboratorId: 'ann', percentage: 100 }]
    await put(`/v1/tracks/${params.trackId}/split-sheet`, { master: whole, writers: whole })
    const filled = fillPath(label, params)
    const { body, query }: Contract = contracts[label]
    const names = Object.keys(
      z.toJSONSchema(query ?? z.object({}), { io: 'input', unrepresentable: 'any' }).properties ?? {},
    )
    const response = body
      ? await gateway.request(method, filled, { token, body: '[]' })
      : await gateway.request(method, `${filled}?${names.map((name) => `${name}=-1`).join('&')}`, { token })
    expect(response.status).toBe(400)
    expect(response.headers.get('x-service-core-runtime')).toBe(runtime === 'proxy' ? 'proxy' : 'native')
    const code = runtime === 'proxy' ? 'validation_failed' : 'validation_error'
    // The core's responses are forwarded unchanged.
    const message = runtime === 'proxy' ? z.undefined().optional() : z.string().min(20)
    z.strictObject({ error: z.literal(code), message, issues: z.array(Issue).min(1) }).parse(response.body)
    expect(describedCodes(label, 400)).toContain('validation_error')
    expect(JSON.stringify(resolveRef('#/components/schemas/ValidationError'))).toContain(`"${code}"`)
  })
})
