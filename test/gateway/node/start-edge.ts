import { onTestFinished } from 'vitest'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import type { RejectedRequest } from '#gateway/edge/inspect-request.ts'
import { createEdgeServer, type EdgeServerOptions } from '#gateway/node/http-server.ts'

export const startEdge = async (options: Partial<EdgeServerOptions> = {}) => {
  const rejections: Pick<RejectedRequest, 'code' | 'status'>[] = []
  const targets: string[] = []
  const edge = createEdgeServer({
    onRequest: (incoming, outgoing, { target }) => {
      targets.push(target.target)
      incoming.resume()
      outgoing.writeHead(200, ['content-length', '2'])
      outgoing.end('ok')
    },
    bodyBudget: createBodyBudget(10_000_000),
    onRejected: ({ code, status }) => rejections.push({ code, status }),
    ...options,
  })
  const port = await edge.listen(0, '127.0.0.1')
  onTestFinished(() => edge.close(0))
  return { edge, port, rejections, targets }
}
