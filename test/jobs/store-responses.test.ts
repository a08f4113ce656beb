import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createS3ObjectStorage } from '#gateway/adapters/object-storage-s3.ts'
import { findInfrastructureFailure } from '#jobs/find-infrastructure-failure.ts'
import { withLocalCopy } from '#jobs/local-copy.ts'

const never = new AbortController().signal
const errorOf = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`

describe('a request to the object store', () => {
  let handle: RequestListener
  const server = createServer((request, response) => handle(request, response))
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const storage = () =>
    createS3ObjectStorage({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'auto',
      bucket: 'bucket',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
    })
  const download = () => withLocalCopy('assets/1', storage(), never, async () => 'copied')
  const copy = () => storage().copy('uploads/1', 'assets/1', 'audio/wav')
  const findCause = (work: () => Promise<unknown>) =>
    work().then(
      () => 'none',
      (error) => findInfrastructureFailure(error),
    )

  it.each([
    ['a 404 from a proxy', (_, response) => response.writeHead(404).end('<html>not found</html>')],
    ['a 404 for the bucket', (_, response) => response.writeHead(404).end(errorOf('NoSuchBucket'))],
    ['403', (_, response) => response.writeHead(403).end(errorOf('RequestTimeTooSkewed'))],
    ['429', (_, response) => response.writeHead(429).end()],
    ['500', (_, response) => response.writeHead(500).end(errorOf('InternalError'))],
    ['503', (_, response) => response.writeHead(503).end(errorOf('SlowDown'))],
    ['a redirect', (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['a connection that is cut', (request) => request.destroy()],
    [
      'a body that is cut',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('<Error')
        setTimeout(() => response.destroy(), 10)
      },
    ],
  ] satisfies [string, RequestListener][])('finds the store unavailable after %s', async (_, listener) => {
    handle = listener
    expect(await findCause(download)).toBe('storage_unavailable')
    expect(await findCause(copy)).toBe('storage_unavailable')
  })

  it('does not count as an outage if the store responds with NoSuchKey', async () => {
    handle = (_, response) => response.writeHead(404).end(errorOf('NoSuchKey'))
    expect(await findCause(download)).toBeNull()
    expect(await findCause(copy)).toBeNull()
  })

  it('reports the store as unavailable if nothing listens at its address', async () => {
    const closed = createS3ObjectStorage({
      endpoint: 'http://127.0.0.1:9',
      region: 'auto',
      bucket: 'bucket',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
    })
    const work = () => withLocalCopy('assets/1', closed, never, async () => 'copied')
    expect(await findCause(work)).toBe('storage_unavailable')
    expect(await findCause(() => closed.copy('uploads/1', 'assets/1', 'audio/wav'))).toBe(
      'storage_unavailable',
    )
  })

  it('finds out sizes, although R2 leaves them out if it may compress its response', async () => {
    handle = ({ headers }, response) => {
      const size = headers['accept-encoding'] === 'identity' ? { 'content-length': '10' } : {}
      response.writeHead(200, { 'content-type': 'text/plain', ...size }).end()
    }
    expect(await storage().find('uploads/1')).toEqual({ byteSize: 10, contentType: 'text/plain' })
  })

  it.each(['gzip', 'br', 'deflate'])(
    'does not download an object that was stored as %s',
    async (encoding) => {
      handle = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('bytes')
      await expect(download()).rejects.toThrow(`content encoding ${encoding}`)
      expect(await findCause(download)).toBeNull()
    },
  )

  it('downloads an object with an encoding that is not decoded, such as that of a signed upload', async () => {
    handle = (_, response) => response.writeHead(200, { 'content-encoding': 'aws-chunked' }).end('bytes')
    expect(await download()).toBe('copied')
  })

  it('is not blamed if the work on the downloaded copy fails', async () => {
    handle = (_, response) => response.end('bytes')
    expect(await download()).toBe('copied')
    const bug = new TypeError('a bug')
    const work = () => withLocalCopy('assets/1', storage(), never, () => Promise.reject(bug))
    await expect(work()).rejects.toBe(bug)
    expect(await findCause(work)).toBeNull()
  })
})
