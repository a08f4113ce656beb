import type { FastifyInstance } from 'fastify'
import { CoreError } from './core-error.ts'

export const allMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** Whether one template answers the paths of another: `/packs/:packId` those of `/packs/shared`. */
const covers = (template: string, url: string) => {
  const [wanted, given] = [template.split('/'), url.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((segment, place) => segment.startsWith(':') || segment === given[place])
  )
}

/** Registers routes, then answers 405 with `Allow` on their paths to every method none of them takes. */
export const rejectOtherMethods = (app: FastifyInstance, register: () => void) => {
  const routes: { readonly url: string; readonly methods: readonly string[] }[] = []
  let registering = true
  app.addHook('onRoute', ({ url, method }) => {
    if (registering) routes.push({ url, methods: [method].flat() })
  })
  register()
  registering = false

  for (const url of new Set(routes.map((route) => route.url))) {
    const taken = new Set(routes.filter((route) => covers(route.url, url)).flatMap((route) => route.methods))
    const allow = allMethods.filter((method) => taken.has(method)).join(', ')
    app.route({
      url,
      method: allMethods.filter((method) => !taken.has(method)),
      handler: (_request, reply) => {
        reply.header('allow', allow)
        throw new CoreError('method_not_allowed')
      },
    })
  }
}
