import { EventSourceParserStream } from 'eventsource-parser/stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxModel, startModel } from '#dev/sandbox/model/start-model.ts'

const apiKey = 'model-key'
const names = ['missing_identifiers', 'split_sheets', 'open_shares', 'plays_and_trends', 'search_tracks']
const tools = names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }))

describe('the sandbox model', () => {
  let model: SandboxModel
  beforeAll(async () => {
    model = await startModel({ apiKey })
  })
  afterAll(() => model.close())

  const send = (body: object, key = apiKey) =>
    fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const ask = (content: string, more: object[] = []) => ({
    model: 'sandbox',
    messages: [{ role: 'user', content }, ...more],
    tools,
  })

  it.each([
    ['What is missing before a release?', ['missing_identifiers']],
    ['Which splits do not add up?', ['split_sheets']],
    ['What is shared with whom?', ['open_shares']],
    ['What is being played?', ['plays_and_trends']],
    ['Which tracks lack an ISRC, and who has links?', ['missing_identifiers', 'open_shares']],
    ['Is "Harbour Lights" ready?', ['search_tracks']],
    ['Hello', ['missing_identifiers']],
  ])('chooses tools based on the words in the question %s', async (question, expected) => {
    const response = await send(ask(question))
    expect(response.status).toBe(200)
    const { choices, usage } = (await response.json()) as {
      choices: { finish_reason: string; message: { tool_calls: { function: { name: string } }[] } }[]
      usage: { prompt_tokens: number }
    }
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(choices[0]?.message.tool_calls.map((call) => call.function.name)).toEqual(expected)
    expect(usage.prompt_tokens).toBeGreaterThan(0)
  })

  it("streams the same text about the tools' results each time", async () => {
    const result = {
      findings: [
        { title: 'Night Drive', cite: '[track:t1]', message: 'It has no ISRC.', action: 'Add one.' },
      ],
    }
    const read = async () => {
      const request = ask('What is missing?', [
        { role: 'tool', tool_call_id: 'call', content: JSON.stringify(result) },
      ])
      const response = await send({ ...request, stream: true, stream_options: { include_usage: true } })
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      const data: string[] = []
      const events = response.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
      for await (const event of events ?? []) data.push(event.data)
      expect(data.pop()).toBe('[DONE]')
      const chunks = data.map((text) => JSON.parse(text))
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } })
      return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    }
    const text = await read()
    expect(text).toContain('- Night Drive: It has no ISRC. Add one. [track:t1]')
    expect(await read()).toBe(text)
  })

  it('returns 401 for a wrong key and 400 for a wrong format', async () => {
    expect((await send(ask('Hello'), 'other')).status).toBe(401)
    expect((await send({ model: 'sandbox', messages: [] })).status).toBe(400)
  })
})
