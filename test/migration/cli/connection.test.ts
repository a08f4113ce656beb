import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { readConnection } from '#migration/cli/connection.ts'
import { requestApi } from '#migration/cli/request.ts'

describe('the gateway that npm run routes uses', () => {
  const local = 'http://127.0.0.1:4321'
  let running: string
  let stopped: string

  beforeAll(async () => {
    running = await mkdtemp(join(tmpdir(), 'crossfade-routes-'))
    stopped = await mkdtemp(join(tmpdir(), 'crossfade-routes-'))
    await writeFile(join(running, 'admin.json'), JSON.stringify({ gateway: local, jobs: null }))
    for (const folder of [running, stopped]) await writeFile(join(folder, 'operator-token'), 'local-token')
  })
  afterAll(() => Promise.all([running, stopped].map((folder) => rm(folder, { recursive: true }))))

  it("is npm start's gateway, with its token, while npm start is running", async () => {
    expect(await readConnection({}, running)).toMatchObject({ adminUrl: local, token: 'local-token' })
    expect(await readConnection({ OPERATOR_TOKEN: 'mine' }, running)).toMatchObject({
      adminUrl: local,
      token: 'mine',
    })
  })

  it("is the one in ADMIN_URL or ADMIN_PORT, which never receives npm start's token", async () => {
    const given = { ADMIN_URL: 'http://gateway.internal:9000/', OPERATOR_TOKEN: 'mine' }
    expect(await readConnection(given, running)).toMatchObject({
      adminUrl: 'http://gateway.internal:9000',
      token: 'mine',
    })
    expect((await readConnection({ ADMIN_PORT: '99', OPERATOR_TOKEN: 'mine' }, running)).adminUrl).toBe(
      'http://127.0.0.1:99',
    )
    for (const environment of [{ ADMIN_URL: 'http://gateway.internal:9000' }, { ADMIN_PORT: '99' }])
      await expect(readConnection(environment, running)).rejects.toThrow('OPERATOR_TOKEN is missing')
  })

  it('is on the default port if ADMIN_URL and ADMIN_PORT are not set, and needs a token', async () => {
    expect((await readConnection({ OPERATOR_TOKEN: 'mine' }, stopped)).adminUrl).toBe('http://127.0.0.1:8788')
    await expect(readConnection({ ADMIN_URL: 'no url', OPERATOR_TOKEN: 'x' }, stopped)).rejects.toThrow(
      'ADMIN_URL',
    )
  })

  it('cannot be found if npm start is not running, and the error says what to run', async () => {
    const sentence = /^npm start is not running in this folder\. Run it in another terminal, or set ADMIN_URL/
    await expect(readConnection({}, stopped)).rejects.toMatchObject({
      message: expect.stringMatching(sentence),
    })
    // A killed `npm start` leaves its address behind.
    const connection = { ...(await readConnection({}, running)), adminUrl: 'http://127.0.0.1:1' }
    await expect(requestApi(connection, z.unknown(), 'GET', '/api/routes')).rejects.toMatchObject({
      message: expect.stringMatching(
        /^cannot reach the gateway at http:\/\/127\.0\.0\.1:1 \(.+\)\. npm start is not running in this folder\. Run it /,
      ),
      exitCode: 3,
    })
  })

  it('cannot be found if npm start runs without an admin listener, and the error says what to run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-routes-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(
      join(folder, 'admin.json'),
      JSON.stringify({ gateway: null, service: 'http://127.0.0.1:1' }),
    )
    await expect(readConnection({}, folder)).rejects.toThrow('Run npm start without ADMIN_PORT=off.')
  })

  it('needs OPERATOR_TOKEN if npm start created no token because OPERATORS is set', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-routes-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(
      join(folder, 'admin.json'),
      JSON.stringify({ gateway: local, service: 'http://127.0.0.1:1' }),
    )
    await expect(readConnection({}, folder)).rejects.toThrow(`set it to your token for ${local}`)
  })
})

describe('a change whose response is lost', () => {
  const openConnection = async (respond: (socket: Socket) => void) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined))
      socket.once('data', () => respond(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return { adminUrl: `http://127.0.0.1:${port}`, token: 'token', advice: 'Set ADMIN_URL.' }
  }

  const shortenTimeout = () => {
    const createTimeout = AbortSignal.timeout.bind(AbortSignal)
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => createTimeout(200))
    onTestFinished(() => timeout.mockRestore())
  }

  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{'

  it.each([
    ['because the gateway does not respond', () => undefined, 'did not respond within 20 s'],
    ['because the gateway ends', (socket: Socket) => socket.destroy(), 'was lost (UND_ERR_SOCKET)'],
    ['in the middle', (socket: Socket) => socket.end(head), 'was lost (UND_ERR_SOCKET)'],
    ['after its head', (socket: Socket) => socket.write(head), 'did not respond within 20 s'],
  ] as const)('%s is reported as perhaps made', async (_, respond, loss) => {
    shortenTimeout()
    const connection = await openConnection(respond)
    const send = (path: string) => requestApi(connection, z.unknown(), 'POST', path, {})
    await expect(send('/api/routes/*/changes')).rejects.toMatchObject({
      message: expect.stringMatching(
        /^the (gateway|connection to the gateway) at http:.+\. The change may or may not have been made: check before you try again\.$/,
      ),
      exitCode: 3,
    })
    await expect(send('/api/routes/*/changes')).rejects.toThrow(loss)
    await expect(send('/api/routes/*/changes/preview')).rejects.toThrow(/\. Try again\.$/)
  })
})
