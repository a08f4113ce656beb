import * as z from 'zod'
import { formatColumns } from '#shared/format-columns.ts'
import { jsonFlag, readVerb, type Verb } from './verb.ts'
import { wrapText } from './wrap-text.ts'

const UsageResponse = z.looseObject({
  unmatched: z.object({
    requests: z.number(),
    shapes: z.array(
      z.looseObject({ method: z.string(), shape: z.string(), requests: z.number(), lastAt: z.string() }),
    ),
    other: z.number(),
  }),
  sentences: z.array(z.string()),
})

const formatShapes = ({ shapes, other }: z.infer<typeof UsageResponse>['unmatched']) =>
  shapes.length === 0
    ? []
    : [
        '',
        formatColumns([
          ['unmatched', 'path', 'requests', 'last'],
          ...shapes.map(({ method, shape, requests, lastAt }) => [
            method,
            shape,
            String(requests),
            lastAt.slice(0, 19),
          ]),
          ['', 'other paths', String(other), ''],
        ]),
      ]

export const usage: Verb = {
  takes: 'usage',
  means: 'what the core still serves, why, and the paths without a row',
  async run(args, send) {
    const { takes, means } = usage
    readVerb({ takes, means, flags: { json: jsonFlag }, required: 0 }, args)
    const json = await send(UsageResponse, 'GET', '/api/core-usage')
    return { json, text: [...json.sentences.map(wrapText), ...formatShapes(json.unmatched)].join('\n') }
  },
}
