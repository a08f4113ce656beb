import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ObjectStore, startObjectStore } from '#dev/sandbox/object-storage/start-object-store.ts'
import { createS3ObjectStorage } from '#gateway/adapters/object-storage-s3.ts'
import type { StoragePort } from '#native-routes/ports.ts'

const keys = { accessKeyId: 'test-key', secretAccessKey: 'test-secret-of-the-store' }
const bytes = new TextEncoder().encode('0123456789')

describe('the sandbox object store', () => {
  let directory: string
  let store: ObjectStore
  let storage: StoragePort
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crossfade-store-'))
    store = await startObjectStore({ directory, ...keys })
    storage = createS3ObjectStorage({ ...store, ...keys })
  })
  afterAll(async () => {
    await store.close()
    await rm(directory, { recursive: true })
  })

  const newKey = () => `tests/${crypto.randomUUID()}`
  const presignPut = (key: string, byteSize = bytes.length) =>
    storage.presignPut(key, { contentType: 'audio/mpeg', byteSize, expiresInS: 60 })
  const put = async (key: string) => {
    const { url, requiredHeaders } = await presignPut(key)
    expect((await fetch(url, { method: 'PUT', headers: requiredHeaders, body: bytes })).status).toBe(200)
    return key
  }
  const get = async (key: string, headers: Record<string, string> = {}) =>
    fetch((await storage.presignGet(key, { expiresInS: 60 })).url, { headers })

  it('stores the bytes of a PUT that has exactly the required headers', async () => {
    const key = await put(newKey())
    expect(await storage.find(key)).toEqual({ byteSize: 10, contentType: 'audio/mpeg' })
    const response = await get(key)
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect(await response.text()).toBe('0123456789')
  })

  it.each([
    ['a different type', { 'content-type': 'text/html' }, bytes],
    ['no type', {}, bytes],
    ['a body shorter than declared', { 'content-type': 'audio/mpeg' }, bytes.subarray(0, 9)],
  ])('returns 403 for a PUT with %s', async (_, headers, body) => {
    const key = newKey()
    const { url } = await presignPut(key)
    expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(403)
    expect(await storage.find(key)).toBeNull()
  })

  it('returns 403 for a chunked PUT', async () => {
    const { url } = await presignPut(newKey())
    const status = await new Promise((resolve, reject) => {
      const upload = request(url, { method: 'PUT', headers: { 'content-type': 'audio/mpeg' } }, (response) =>
        resolve(response.resume().statusCode),
      )
      upload.on('error', reject)
      upload.write('01234')
      upload.end('56789')
    })
    expect(status).toBe(403)
  })

  it('returns 403 if the method or object differs from the signed one, or if there is no signature', async () => {
    const key = await put(newKey())
    const { url } = await storage.presignGet(key, { expiresInS: 60 })
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403)
    expect((await fetch(url.replace(key, await put(newKey())))).status).toBe(403)
    expect((await fetch(url.split('?')[0]!)).status).toBe(403)
  })

  it('returns 403 for an expired URL', async () => {
    const key = await put(newKey())
    const { url, expiresAt } = await storage.presignGet(key, { expiresInS: 1 })
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(1000)
    await expect.poll(async () => (await fetch(url)).status, { timeout: 5000 }).toBe(403)
  })

  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-30', '0123456789', 'bytes 0-9/10'],
  ])('serves the range %s', async (range, text, contentRange) => {
    const response = await get(await put(newKey()), { range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect(await response.text()).toBe(text)
  })

  it('returns 416 for a range outside the object, and ignores a Range header with several ranges', async () => {
    const key = await put(newKey())
    expect((await get(key, { range: 'bytes=10-' })).status).toBe(416)
    expect((await get(key, { range: 'bytes=-0' })).status).toBe(416)
    expect((await get(key, { range: 'bytes=0-1,4-5' })).status).toBe(200)
  })

  it.each([
    ['Night Drive (final).mp3', 'attachment; filename="Night Drive (final).mp3"'],
    [
      "it's 100% *done*.wav",
      `attachment; filename="it's 100_ *done*.wav"; filename*=UTF-8''it%27s%20100%25%20%2Adone%2A.wav`,
    ],
    [
      'Größe “7”.wav',
      `attachment; filename="Gr__e _7_.wav"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%80%9C7%E2%80%9D.wav`,
    ],
    ['a"\r\nx: y', `attachment; filename="a___x: y"; filename*=UTF-8''a%22%0D%0Ax%3A%20y`],
  ])('sends a Content-Disposition for the file name %j', async (downloadAs, disposition) => {
    const { url } = await storage.presignGet(await put(newKey()), { expiresInS: 60, downloadAs })
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toBe(disposition)
  })

  it('sends the signed type and disposition, and returns 403 if a client changes or removes them', async () => {
    const view = { expiresInS: 60, contentType: 'text/csv', downloadAs: 'splits.csv' }
    const { url } = await storage.presignGet(await put(newKey()), view)
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('text/csv')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="splits.csv"')
    for (const [name, value] of [
      ['response-content-type', 'text/html'],
      ['response-content-disposition', 'inline'],
    ] as const) {
      const [changed, removed] = [new URL(url), new URL(url)]
      changed.searchParams.set(name, value)
      removed.searchParams.delete(name)
      for (const forged of [changed, removed]) expect((await fetch(forged)).status).toBe(403)
    }
  })

  it('allows the CORS preflight of an upload', async () => {
    const { url, requiredHeaders } = await presignPut(newKey())
    const origin = 'https://app.example'
    const headers = {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': Object.keys(requiredHeaders).join(','),
    }
    const preflight = await fetch(url, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(200)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type')
    const upload = await fetch(url, {
      method: 'PUT',
      headers: { ...requiredHeaders, origin },
      body: bytes,
    })
    expect(upload.status).toBe(200)
    expect(upload.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('copies an object with a content type, and removes objects', async () => {
    const [from, to] = [await put(newKey()), newKey()]
    await storage.copy(from, to, 'audio/mpeg')
    await storage.remove(from)
    await storage.remove(from)
    expect(await storage.find(from)).toBeNull()
    expect(await storage.find(to)).toEqual({ byteSize: 10, contentType: 'audio/mpeg' })
    await expect(storage.copy(newKey(), newKey(), 'audio/mpeg')).rejects.toMatchObject({
      code: 'upload_object_missing',
    })
  })

  it('is reported as storage_unavailable if it is unreachable or rejects the credentials', async () => {
    const unreachable = createS3ObjectStorage({ ...store, ...keys, endpoint: 'http://127.0.0.1:9' })
    await expect(unreachable.find('a')).rejects.toMatchObject({ code: 'storage_unavailable', status: 503 })
    const rejected = createS3ObjectStorage({ ...store, ...keys, secretAccessKey: 'wrong' })
    await expect(rejected.find('a')).rejects.toMatchObject({ body: { error: 'storage_unavailable' } })
  })
})
