import { beforeEach, describe, expect, it } from 'vitest'
import { handlers } from '#native-routes/index.ts'
import type { StoragePort } from '#native-routes/ports.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { finalizeUpload, putFile } from '#test/support/uploads.ts'

const { 'tracks.uploads.finalize': realFinalize } = handlers

type Find = StoragePort['find']

let interceptFind: (find: Find) => Find = (find) => find
let handled: Promise<unknown> = Promise.resolve()

const intercepted: typeof realFinalize = {
  ...realFinalize,
  handle: (input, ports) => {
    const storage = { ...ports.storage, find: interceptFind(ports.storage.find) }
    const result = realFinalize.handle(input, { ...ports, storage })
    handled = result.catch((error: unknown) => error)
    return result
  },
}

describe('tracks.uploads.finalize, once it has looked up the object,', () => {
  const gateway = startTestGateway({
    core: 'recording',
    handlers: { ...handlers, 'tracks.uploads.finalize': intercepted },
    nativeTimeoutMs: 400,
    storage: true,
    throughRelay: true,
    control: 'fixed',
  })

  beforeEach(() => {
    gateway.relay.setUnavailable(false)
    interceptFind = (find) => find
  })

  const putUpload = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const { uploadId, ...intent } = await putFile(account, trackId)
    const finalizeOnce = async () => {
      const seen = gateway.core.requests.length
      const { status, headers } = await finalizeUpload(account, { uploadId, ...intent })
      return {
        status,
        fallback: headers.get('x-service-proxy-fallback'),
        seenByCore: gateway.core.requests.slice(seen).map(({ target }) => target),
      }
    }
    const status = async () => {
      const [upload] = await gateway.database.sql`select status from uploads where id = ${uploadId}`
      return upload?.status
    }
    const path = `/v1/tracks/${trackId}/uploads/${uploadId}/finalize`
    return { path, status, finalizeOnce }
  }

  it('falls back if the database becomes unavailable', async () => {
    const upload = await putUpload()
    interceptFind = (find) => async (key) => {
      const object = await find(key)
      gateway.relay.setUnavailable(true)
      return object
    }
    expect(await upload.finalizeOnce()).toEqual({ status: 200, fallback: '1', seenByCore: [upload.path] })
    expect(await upload.status()).toBe('pending')
  })

  it('falls back if the store does not respond in time, and finalizes nothing afterwards', async () => {
    const upload = await putUpload()
    const found = Promise.withResolvers<void>()
    interceptFind = (find) => async (key) => {
      const object = await find(key)
      await found.promise
      return object
    }
    expect(await upload.finalizeOnce()).toEqual({ status: 200, fallback: '1', seenByCore: [upload.path] })
    found.resolve()
    expect(await handled).toMatchObject({ name: 'RequestAbandoned' })
    expect(await upload.status()).toBe('pending')
  })

  it('does not fall back if the connection is lost inside the transaction', async () => {
    const upload = await putUpload()
    gateway.relay.onStatement = (_, sent) => (/insert into "media_assets"/i.test(sent) ? 'cut-after' : null)
    const result = await upload.finalizeOnce()
    gateway.relay.onStatement = () => null
    expect(result).toEqual({ status: 503, fallback: '0', seenByCore: [] })
    expect(await upload.status()).toBe('pending')
  })
})
