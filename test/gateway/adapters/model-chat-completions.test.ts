import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChatModel } from '#gateway/adapters/model-chat-completions.ts'
import type { ModelOutput } from '#native-routes/catalog-analysis/ports.ts'

const startServer = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const complete = async (baseUrl: string) => {
  const model = createChatModel({ baseUrl, apiKey: 'key', model: 'any' })
  const request = { messages: [{ role: 'user' as const, text: 'Plays?' }], tools: [], maxOutputTokens: 10 }
  const outputs: ModelOutput[] = []
  for await (const output of await model.complete(request, AbortSignal.timeout(20_000))) outputs.push(output)
  return outputs
}

const eventStream = { 'content-type': 'text/event-stream' }

const createChunk = (content: string, completionTokens: number, finish_reason: string | null = null) => {
  const usage = { prompt_tokens: 100, completion_tokens: completionTokens }
  return `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason }], usage })}\n\n`
}

describe('the chat-completions model', () => {
  it('counts the usage once even if the provider reports it with each chunk', async () => {
    const url = await startServer((_, response) => {
      response.writeHead(200, eventStream)
      response.end(
        `${createChunk('a', 1)}${createChunk('b', 2)}${createChunk('', 3, 'stop')}data: [DONE]\n\n`,
      )
    })
    const usages = (await complete(url)).filter(({ kind }) => kind === 'usage')
    expect(usages).toEqual([{ kind: 'usage', inputTokens: 100, outputTokens: 3 }])
  })

  it.each([
    [5e15, 10_000_000],
    [-1, 0],
    [1.5, 2],
  ])('counts %d reported tokens as %d, and still reads the text', async (reported, counted) => {
    const url = await startServer((_, response) => {
      response.writeHead(200, eventStream)
      response.end(`${createChunk('a', reported, 'stop')}data: [DONE]\n\n`)
    })
    expect(await complete(url)).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'usage', inputTokens: 100, outputTokens: counted },
    ])
  })

  it('aborts an endless response that contains only SSE comments', async () => {
    const url = await startServer((_, response) => {
      response.writeHead(200, eventStream)
      const comment = `: ${'x'.repeat(16_000)}\n\n`
      const write = () => {
        while (!response.destroyed && response.write(comment));
      }
      response.on('drain', write)
      write()
    })
    await expect(complete(url)).rejects.toMatchObject({ reason: 'too_long' })
  })

  it('aborts a compressed response that expands without limit', async () => {
    const url = await startServer((_, response) => {
      response.writeHead(200, { ...eventStream, 'content-encoding': 'gzip' })
      response.end(gzipSync(`: ${'x'.repeat(1000)}\n\n`.repeat(50_000)))
    })
    await expect(complete(url)).rejects.toMatchObject({ reason: 'too_long' })
  })

  it('does not follow a redirect', async () => {
    let redirected = 0
    const target = await startServer((_, response) => {
      redirected += 1
      response.end()
    })
    const url = await startServer((_, response) => response.writeHead(307, { location: target }).end())
    await expect(complete(url)).rejects.toMatchObject({ reason: 'status' })
    expect(redirected).toBe(0)
  })
})
