import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { WriteStream } from 'node:tty'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createProgress } from '#dev/progress.ts'

const escapeCode = String.fromCharCode(27)

const openStream = (options: { readonly isTTY: boolean; readonly columns: number }) => {
  const stream = Object.assign(new PassThrough(), options, {
    getColorDepth: WriteStream.prototype.getColorDepth,
  })
  let text = ''
  stream.on('data', (bytes) => {
    text += bytes
  })
  return { stream, text: () => text }
}

describe('the progress display', () => {
  beforeEach(() => {
    vi.stubEnv('NO_COLOR', '1')
    vi.stubEnv('FORCE_COLOR', undefined)
    vi.stubEnv('TERM', 'xterm')
  })
  afterEach(() => void vi.unstubAllEnvs())

  it('uses a single line in a terminal, plus one line for each finished part', async () => {
    const { stream, text } = openStream({ isTTY: true, columns: 80 })
    const { follow, update } = createProgress(stream)
    const work = Promise.withResolvers<string>()
    const followed = follow('Scenarios', work.promise)
    update('Scenarios', '12 of 340')
    await expect.poll(text).toContain('Scenarios: 12 of 340')
    expect(text()).not.toContain('\n')
    work.resolve('done')
    expect(await followed).toBe('done')
    const lines = text().split(`${escapeCode}[2K`)
    expect(lines.at(-1)).toMatch(/^ {2}✓ Scenarios +0\.\d s\n$/)
    // Colour codes start with the same characters as the codes that erase lines, but end with `m`.
    expect(text()).not.toMatch(new RegExp(`${escapeCode}\\[\\d+m`))
  })

  it("is shortened to the terminal's width", async () => {
    const { stream, text } = openStream({ isTTY: true, columns: 20 })
    const { follow, update, end } = createProgress(stream)
    void follow('Scenarios', new Promise(() => undefined))
    update('Scenarios', '12 of 340')
    await expect.poll(text).toMatch(/Scenarios: 1/)
    for (const line of text().split(`${escapeCode}[2K`)) expect(line.length).toBeLessThan(30)
    expect(text()).not.toContain('12 of')
    end()
  })

  it('writes an occasional plain line to a pipe', async () => {
    const { stream, text } = openStream({ isTTY: false, columns: 80 })
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    const { follow, update } = createProgress(stream)
    const work = Promise.withResolvers<void>()
    const followed = follow('Scenarios', work.promise)
    for (now = 0; now <= 25_000; now += 1000) update('Scenarios', `${now / 1000} of 25`)
    work.resolve()
    await followed
    clock.mockRestore()
    await sleep(0)
    expect(text()).toBe(
      '  Scenarios: 10 of 25\n  Scenarios: 20 of 25\n  ✓ Scenarios                   26.0 s\n',
    )
  })

  it('marks a part that failed', async () => {
    const { stream, text } = openStream({ isTTY: false, columns: 80 })
    const failure = new Error('it failed')
    await expect(createProgress(stream).follow('Gateway', Promise.reject(failure))).rejects.toBe(failure)
    await expect.poll(text).toMatch(/^ {2}✗ Gateway +0\.0 s\n$/)
  })
})
