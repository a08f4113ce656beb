import { describe, expect, it } from 'vitest'
import { deliveryLabels, deliveryOf } from '#contracts/deliveries.ts'
import { errorTable } from '#contracts/errors.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { operationOf } from '#test/support/api-description.ts'
import { deliverySecrets, forgeDelivery, signDelivery } from '#test/support/deliveries.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'

type Headers = Readonly<Record<string, string>>

const malformed = '{ this is no JSON'

const deliver = async (gateway: TestGateway, path: string, headers: Headers, body = malformed) => {
  const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body })
  return {
    outcome: [response.status, (await response.json()).error],
    label: response.headers.get('x-service-native-route'),
    runtime: response.headers.get('x-service-core-runtime'),
  }
}

describe('every delivery', () => {
  const gateway = startTestGateway({
    core: 'recording',
    environment: { ...deliverySecrets, MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9' },
  })
  const unconfigured = startTestGateway({ core: 'recording' })

  describe.each(deliveryLabels)('%s', (label) => {
    const { headers: names, errors } = deliveryOf(label)
    const { path, runtime } = rowOf(label)
    const { invalid, missing = invalid, noSecret } = errors
    const expected = (code: keyof typeof errorTable) => [errorTable[code][0][0], code]
    const rename = (headers: Headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [names[name] ?? name, value]))

    it('is verified before it is parsed', async () => {
      const signed = await deliver(gateway, path, signDelivery(label, malformed))
      expect(signed).toEqual({ outcome: [400, 'invalid_json'], label, runtime: 'native' })
      expect((await deliver(gateway, path, forgeDelivery(label))).outcome).toEqual(expected(invalid))
      expect((await deliver(gateway, path, {})).outcome).toEqual(expected(missing))
    })

    it('is verified over its exact bytes', async () => {
      const headers = signDelivery(label, '{}')
      expect((await deliver(gateway, path, headers, '{} ')).outcome).toEqual(expected(invalid))
    })

    it("is accepted with the provider's header names", async () => {
      const signed = signDelivery(label, malformed)
      const both = { ...signed, ...rename(signed) }
      for (const headers of [rename(signed), both])
        expect((await deliver(gateway, path, headers)).outcome).toEqual([400, 'invalid_json'])
    })

    it.each(Object.entries(names).filter(([name, provided]) => name !== provided))(
      'is rejected if %s differs from %s',
      async (name, provided) => {
        const signed = signDelivery(label, malformed)
        const other = signed[name]?.replace(/.$/, (last) => (last === '0' ? '1' : '0')) ?? ''
        const { outcome } = await deliver(gateway, path, { ...signed, [provided]: other })
        expect(outcome).toEqual(expected(invalid))
      },
    )

    it('is rejected without a secret, and never forwarded', async () => {
      const { outcome } = await deliver(unconfigured, path, signDelivery(label, malformed))
      expect([runtime, outcome]).toEqual(['native-only', expected(noSecret)])
      expect([...gateway.core.requests, ...unconfigured.core.requests]).toEqual([])
    })

    it('has its headers and errors in the API description', () => {
      const { security, responses } = operationOf(label)
      const provided = Object.values(names)
      expect(security.map(Object.keys)).toEqual(
        provided.join() === Object.keys(names).join() ? [provided] : [Object.keys(names), provided],
      )
      // Codes for a missing secret are left out: statuses of 500 and above are described once for all operations.
      for (const code of new Set([invalid, missing]))
        expect(responses[errorTable[code][0][0]]?.description, code).toContain(`\`${code}\``)
    })
  })
})
