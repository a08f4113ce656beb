import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { createStemDownload } from '#jobs/adapters/stem-download-undici.ts'
import { importStems } from '#jobs/import-stems.ts'
import type { JobPorts } from '#jobs/ports.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { createJobPorts } from '#test/support/jobs.ts'
import { readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const maxBytes = 1_000_000

describe('importStems', () => {
  const gateway = startTestGateway({ storage: true })
  let handle: RequestListener = (_, response) => response.end()
  const server = createServer((request, response) => handle(request, response))
  let origin: string
  let database: ReturnType<typeof openDatabase>
  let ports: JobPorts

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    database = openDatabase(gateway.database.url, {
      connections: 2,
      prepare: gateway.database.prepare,
    })
    ports = createJobPorts(gateway, {
      db: createDatabasePort(database),
      storage: gateway.storage.port,
      stems: createStemDownload({ allowedOrigins: [origin], maxBytes }),
    })
  })
  afterAll(async () => {
    await database.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const startDispatch = async () => {
    const { sql } = gateway.database
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(sql, account.accountId)
    const version = await insertVersion(sql, trackId)
    const dispatchId = crypto.randomUUID()
    await sql`insert into media_dispatches (id, track_id, version_id, status)
      values (${dispatchId}, ${trackId}, ${version.id}, 'running')`
    return { account, trackId, dispatchId }
  }
  const stem = { kind: 'vocals', label: 'Vocals', contentType: 'audio/wav', durationMs: null }
  const importFrom = (dispatchId: string, urls: readonly string[]) =>
    importStems(
      dispatchId,
      urls.map((url) => ({ ...stem, url })),
      ports,
      new AbortController().signal,
    )
  const getErrorCode = async (account: TestAccount, trackId: string) => {
    const { body } = await account.get(`/v1/tracks/${trackId}/processing-status`)
    return body.remoteDispatches[0].error?.code
  }
  const listStems = async (account: TestAccount, trackId: string) =>
    (await account.get(`/v1/tracks/${trackId}/stems`)).body.stems

  const formats = [
    ['sine.mp3', 'audio/mpeg'],
    ['sine.flac', 'audio/flac'],
    ['sine.aiff', 'audio/aiff'],
    ['sine.m4a', 'audio/mp4'],
    ['sine.aac', 'audio/aac'],
    ['sine.opus', 'audio/ogg'],
    ['sine.webm', 'audio/webm'],
  ] as const
  it.each(sampleCases(formats, 0.3))(
    'stores %s as %s regardless of the type in the callback and the response',
    async (name, contentType) => {
      const bytes = await readMediaFile(name)
      handle = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(bytes)
      const { account, trackId, dispatchId } = await startDispatch()
      await importFrom(dispatchId, [`${origin}/stem`])
      const [stored] = await listStems(account, trackId)
      expect(stored).toMatchObject({ contentType, byteSize: bytes.length })
      const download = await account.get(`/v1/tracks/${trackId}/download-url?assetId=${stored.assetId}`)
      const response = await fetch(download.body.url)
      expect(response.headers.get('content-type')).toBe(contentType)
      expect(await response.bytes()).toEqual(bytes)
    },
  )

  it.each([
    ['sine.mp3', 'vocals.mp3'],
    ['sine.m4a', 'vocals.m4a'],
    ['sine.aiff', 'vocals.aiff'],
  ])('names %s %s in downloads', async (name, fileName) => {
    const bytes = await readMediaFile(name)
    handle = (_, response) => response.end(bytes)
    const { account, trackId, dispatchId } = await startDispatch()
    await importFrom(dispatchId, [`${origin}/stem`])
    const [stored] = await listStems(account, trackId)
    const download = await account.get(`/v1/tracks/${trackId}/download-url?assetId=${stored.assetId}`)
    expect(download.body.fileName).toBe(fileName)
  })

  const text = '# HELP requests_total The requests\nrequests_total 1\n'
  const html = '<!doctype html><title>Admin</title><script>alert(1)</script>'
  it.each([
    ['text', Buffer.from(text), 'not_audio'],
    ['HTML', Buffer.from(html), 'not_audio'],
    ['gzip', gzipSync(wav()), 'not_audio'],
    ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'not_audio'],
    ['an empty file', Buffer.alloc(0), 'not_audio'],
    ['a file above the size limit', Buffer.concat([wav(), Buffer.alloc(maxBytes)]), 'too_large'],
  ])('rejects %s declared as audio, and does not retry', async (_, bytes, reason) => {
    handle = (_request, response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(bytes)
    const { account, trackId, dispatchId } = await startDispatch()
    await importFrom(dispatchId, [`${origin}/private/stem?signature=secret`])
    expect(await getErrorCode(account, trackId)).toBe('stems_rejected')
    expect(await listStems(account, trackId)).toEqual([])
    const lines = gateway.log.lines.filter(({ fields }) => fields.dispatchId === dispatchId)
    expect(lines).toMatchObject([{ fields: { reason, host: new URL(origin).host } }])
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/signature|private/)
  })

  it('stores no stem if any of them is rejected', async () => {
    const bytes = wav()
    handle = (_, response) => response.end(bytes)
    const { account, trackId, dispatchId } = await startDispatch()
    await importFrom(dispatchId, [`${origin}/stem`, `${gateway.url}/openapi.json`])
    expect(await getErrorCode(account, trackId)).toBe('stems_rejected')
    expect(await listStems(account, trackId)).toEqual([])
  })

  it('leaves the dispatch running if the server fails, so the import can be retried', async () => {
    const bytes = wav()
    handle = (_, response) => response.writeHead(503).end()
    const { account, trackId, dispatchId } = await startDispatch()
    await expect(importFrom(dispatchId, [`${origin}/stem`])).rejects.toThrow('status 503')
    expect(await getErrorCode(account, trackId)).toBeUndefined()
    handle = (_, response) => response.end(bytes)
    await importFrom(dispatchId, [`${origin}/stem`])
    expect(await listStems(account, trackId)).toMatchObject([{ contentType: 'audio/wav' }])
  })
})
