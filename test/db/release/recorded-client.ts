import { type RequestOptions, requestAt, type TestResponse } from '#test/support/request-at.ts'
import type { Balancer, Release } from './balancer.ts'

export interface Sent {
  readonly release: Release
  readonly body: TestResponse['body']
}

export const createRecordedClient = (balancer: Balancer) => {
  const failures: string[] = []
  const served = new Map<string, number>()
  const read = new Map<string, number>()
  let fallbacks = 0
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

  return {
    failures,
    /** The number of responses by release and side, such as `previous native`. */
    served,
    /** The number of reads by what was read, who wrote it and who read it, such as `libraries: previous > present`. */
    read,
    fallbacks: () => fallbacks,

    async send(
      method: string,
      path: string,
      options: RequestOptions,
      isExpected: (response: TestResponse) => boolean,
    ): Promise<Sent> {
      const { release, gateway } = balancer.next()
      const fail = (found: string) =>
        void failures.push(`${method} ${path} of the ${release} release: ${found}`)
      try {
        const response = await requestAt(gateway.url, method, path, options)
        count(served, `${release} ${response.headers.get('x-service-core-runtime')}`)
        if (response.headers.get('x-service-proxy-fallback') === '1') fallbacks++
        if (!isExpected(response)) fail(`${response.status} ${JSON.stringify(response.body)}`)
        return { release, body: response.body }
      } catch (error) {
        fail(String(error))
        return { release, body: {} }
      }
    },

    countRead: (kind: string, writer: Sent, reader: Sent) =>
      void count(read, `${kind}: ${writer.release} > ${reader.release}`),
  }
}
export type RecordedClient = ReturnType<typeof createRecordedClient>
