import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createResendEmail } from '#jobs/adapters/email-resend.ts'

const from = 'Crossfade <invitations@example.test>'
const email = { id: 'invitation_1', to: 'ann@example.test', subject: 'Harbour EP', text: 'Listen' }

describe('createResendEmail', () => {
  let handle: RequestListener
  const server = createServer((request, response) => handle(request, response))
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise<unknown>((resolve) => server.close(resolve)))

  const respondWith = (status: number, body: unknown) => {
    handle = (request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' })
      response.end(JSON.stringify(body))
    }
  }
  const send = (signal = new AbortController().signal) => {
    const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    return createResendEmail({ apiKey: 're_secret', apiBase, from }).send(email, signal)
  }

  it('posts the e-mail with its id as the idempotency key', async () => {
    let received: { url?: string | undefined; headers: IncomingHttpHeaders; body: unknown } | undefined
    handle = async (request, response) => {
      const { url, headers } = request
      received = { url, headers, body: JSON.parse(await text(request)) }
      response.end('{"id":"email_1"}')
    }
    expect(await send()).toEqual({ kind: 'accepted', providerEmailId: 'email_1' })
    expect(received).toMatchObject({
      url: '/emails',
      headers: { authorization: 'Bearer re_secret', 'idempotency-key': 'invitation_1' },
      body: {
        from,
        to: email.to,
        subject: email.subject,
        text: email.text,
        tags: [{ name: 'reference', value: email.id }],
      },
    })
  })

  it.each([400, 422])('reports the status %i as a rejection', async (status) => {
    respondWith(status, { statusCode: status, name: 'validation_error', message: `to ${email.to}` })
    expect(await send()).toEqual({ kind: 'rejected', status, reason: 'validation_error' })
  })

  it("reports a rejection without a reason if the error's name is not a code", async () => {
    respondWith(422, { name: `no such recipient: ${email.to}` })
    expect(await send()).toEqual({ kind: 'rejected', status: 422, reason: null })
  })

  it('reports an e-mail as already accepted if its id was used before with different content', async () => {
    respondWith(409, { name: 'invalid_idempotent_request' })
    expect(await send()).toEqual({ kind: 'accepted-before' })
  })

  it.each([302, 307, 401, 403, 404, 405, 408, 409, 413, 429, 500, 503])(
    'throws an error that does not reveal the response if the status is %i',
    async (status) => {
      respondWith(status, { name: 'concurrent_idempotent_requests', message: `to ${email.to}` })
      const failure = await send().catch(String)
      expect(failure).toBe(`EmailProviderError: the e-mail provider returned status ${status}`)
    },
  )

  it('throws if the configured sender is rejected, because a setting can fix that', async () => {
    respondWith(422, { name: 'invalid_from_address' })
    await expect(send()).rejects.toThrow('the e-mail provider returned status 422')
  })

  it.each([
    ['120', 120],
    ['0', 0],
    ['999999', 86_400],
    [new Date(Date.now() + 90_000).toUTCString(), expect.toSatisfy((s) => s > 60 && s <= 90)],
    ['Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['soon', null],
    ['', null],
  ])('reads when to try again from Retry-After %j', async (value, retryAfterS) => {
    handle = (request, response) => {
      request.resume()
      response.writeHead(429, { 'retry-after': value }).end('{}')
    }
    await expect(send()).rejects.toMatchObject({ name: 'EmailProviderError', retryAfterS })
  })

  it('throws if a successful response contains no id', async () => {
    respondWith(200, {})
    await expect(send()).rejects.toThrow()
  })

  it('aborts its request when the job is aborted', async () => {
    const stopping = new AbortController()
    handle = () => stopping.abort()
    await expect(send(stopping.signal)).rejects.toThrow('aborted')
    server.closeAllConnections()
  })
})
