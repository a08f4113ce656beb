import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startTestBrowser } from '#test/support/browser.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { createFile, createIntent, finalizeUpload, uploadFile } from '#test/support/uploads.ts'

interface PageRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly bytes?: readonly number[]
}

const sendFrom = (page: Page, pageRequest: PageRequest) =>
  page.evaluate(async ({ url, bytes, ...request }: PageRequest) => {
    const body = bytes && new Uint8Array(bytes)
    const response = await fetch(url, { ...request, ...(body && { body }) })
    const range = response.headers.get('content-range')
    return { status: response.status, range, bytes: [...new Uint8Array(await response.arrayBuffer())] }
  }, pageRequest)

const playFrom = (page: Page, url: string, seconds: number) =>
  page.evaluate(
    `new Promise((resolve, reject) => {
      const audio = new Audio(${JSON.stringify(url)})
      audio.onerror = () => reject(audio.error)
      audio.onloadedmetadata = () => { audio.currentTime = ${seconds} }
      audio.onseeked = () => resolve({ duration: audio.duration, at: audio.currentTime })
    })`,
  )

describe("a page that does not share the object store's origin", { timeout: 60_000 }, () => {
  const gateway = startTestGateway({ storage: true })
  const browser = startTestBrowser()
  startTestJobs(gateway)
  const file = createFile({ bytes: wav({ seconds: 2 }) })

  const openPage = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const page = await browser.openPage()
    await page.goto(`${gateway.url}/healthz`)
    return { account, trackId, page }
  }

  it('uploads a file with the required headers of the upload intent', async () => {
    const { account, trackId, page } = await openPage()
    const intent = await createIntent(account, trackId, file)
    expect(new URL(intent.signedUrl).origin).not.toBe(new URL(page.url()).origin)
    const put = await sendFrom(page, {
      url: intent.signedUrl,
      method: intent.method,
      headers: intent.requiredHeaders,
      bytes: [...file.bytes],
    })
    expect(put.status).toBe(200)
    expect((await finalizeUpload(account, intent)).status).toBe(200)
    expect((await waitForProcessing(account, trackId)).readiness.playback.status).toBe('ready')
  })

  it.each([
    ['another content type', { 'content-type': 'audio/mpeg' }, file.bytes],
    ['another length', { 'content-type': 'audio/wav' }, file.bytes.subarray(1)],
  ])('gets 403 from the object store when it sends %s', async (_, headers, bytes) => {
    const { account, trackId, page } = await openPage()
    const { signedUrl: url, ...intent } = await createIntent(account, trackId, file)
    const put = await sendFrom(page, { url, method: 'PUT', headers, bytes: [...bytes] })
    expect(put.status).toBe(403)
    expect((await finalizeUpload(account, intent)).body).toEqual(errorBody('upload_object_missing'))
  })

  it('plays a track from any position', async () => {
    const { account, trackId, page } = await openPage()
    await uploadFile(account, trackId, file)
    await waitForProcessing(account, trackId)
    const { url } = (await account.get(`/v1/tracks/${trackId}/playback-url`)).body
    const part = await sendFrom(page, { url, headers: { range: 'bytes=1000-1999' } })
    expect(part).toEqual({
      status: 206,
      range: `bytes 1000-1999/${file.bytes.length}`,
      bytes: [...file.bytes.subarray(1000, 2000)],
    })
    expect(await playFrom(page, url, 1.5)).toEqual({ duration: 2, at: 1.5 })
  })
})
