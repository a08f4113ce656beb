import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmailProvider } from '#dev/sandbox/email/start-email.ts'
import { startTestJobs } from '#test/support/jobs.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'
import { eventOf, signed, environment as webhook } from '../../native-routes/webhooks/email-deliveries.ts'
import { findSpan, startTracedGateway } from './traced-gateway.ts'

const email = { EMAIL_API_KEY: 're_key_of_the_tests', EMAIL_FROM: 'Crossfade <invitations@example.test>' }
const { gateway, collector, tracing } = await startTracedGateway({
  nativeLabels: ['packs.invitations.create'],
  storage: true,
  environment: { ...email, ...webhook },
})

describe('spans of jobs and webhooks', () => {
  let provider: Awaited<ReturnType<typeof startEmailProvider>>
  beforeAll(async () => {
    provider = await startEmailProvider({ webhookSecret: null, apiKey: email.EMAIL_API_KEY })
  })
  afterAll(() => provider.close())
  startTestJobs(gateway, { environment: () => ({ ...email, ...tracing, EMAIL_API_BASE: provider.url }) })

  const invite = async (traceparent: string) => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const to = `${crypto.randomUUID()}@example.test`
    const { status } = await owner.post(`/v1/packs/${packId}/invitations`, { email: to }, { traceparent })
    expect(status).toBe(201)
    return to
  }
  const findJobOf = (traceId: string) =>
    collector.spans.find(
      ({ name, links }) =>
        name === 'process send-invitation' && links.some((link) => link.traceId === traceId),
    )

  it('are in a separate trace for a job, linked to the request that queued it', async () => {
    const { traceparent, traceId } = createTraceparent()
    const to = await invite(traceparent)
    const request = findSpan(
      await collector.waitForTrace(traceId, 'POST packs.invitations.create'),
      'POST packs.invitations.create',
    )
    await expect.poll(() => findJobOf(traceId), { timeout: 15_000 }).toBeDefined()
    const job = findJobOf(traceId)!
    expect(job).toMatchObject({
      kind: 'consumer',
      parentId: '',
      hasFailed: false,
      links: [{ traceId, spanId: request.spanId }],
      attributes: { 'messaging.destination.name': 'send-invitation' },
      resource: { 'service.name': 'crossfade-jobs' },
    })
    expect(job.traceId).not.toBe(traceId)
    const spans = await collector.waitForTrace(job.traceId, 'POST e-mail provider')
    expect(findSpan(spans, 'POST e-mail provider')).toMatchObject({
      kind: 'client',
      parentId: job.spanId,
      attributes: { 'http.response.status_code': 200, 'peer.service': 'e-mail provider' },
    })
    expect(findSpan(spans, 'select pack_invitations').parentId).toBe(job.spanId)
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain(to)
    const lines = gateway.log.lines.filter(({ fields }) => fields.job === job.attributes['crossfade.job'])
    expect(lines.map(({ message, fields }) => [message, fields.traceId])).toEqual([
      ['job completed', traceId],
    ])
  })

  it("include a failed attempt of a job, whose log line has the request's trace ID", async () => {
    const { traceparent, traceId } = createTraceparent()
    provider.failNext({ status: 500, name: 'down' })
    await invite(traceparent)
    await expect.poll(() => findJobOf(traceId), { timeout: 15_000 }).toMatchObject({ hasFailed: true })
    const failed = gateway.log.lines.filter(({ message }) => message === 'job failed')
    expect(failed.map(({ fields }) => fields.traceId)).toEqual([traceId])
  })

  it("continue the sender's trace for a webhook delivery", async () => {
    const { traceparent, traceId, parentId } = createTraceparent()
    const { headers, body } = signed(JSON.stringify(eventOf(crypto.randomUUID())))
    const response = await fetch(`${gateway.url}/v1/webhooks/email`, {
      method: 'POST',
      headers: { ...headers, traceparent },
      body,
    })
    expect(response.status).toBe(200)
    const spans = await collector.waitForTrace(traceId, 'POST webhooks.email')
    expect(findSpan(spans, 'POST webhooks.email').parentId).toBe(parentId)
    const native = findSpan(spans, 'native')
    for (const step of ['read body', 'verify signature', 'handle'])
      expect(findSpan(spans, step).parentId).toBe(native.spanId)
  })
})
