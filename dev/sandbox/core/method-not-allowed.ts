import type { FastifyInstance } from 'fastify'
import { CoreError } from './core-error.ts'

export const allMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** Whether a template matches every path that another one matches, as `/packs/:packId` does for `/packs/shared`. */
const covers = (template: string, url: string) => {
  const [pattern, segments] = [template.split('/'), url.split('/')]
  return (
    pattern.length === segments.length &&
    pattern.every((segment, index) => segment.startsWith(':') || segment === segments[index])
  )
}

/** Registers routes. Requests to their paths with any other method get a 405 response with `Allow`. */
export const rejectOtherMethods = (app: FastifyInstance, register: () => void) => {
  const routes: { readonly url: string; readonly methods: readonly string[] }[] = []
  let registering = true
  app.addHook('onRoute', ({ url, method }) => {
    if (registering) routes.push({ url, methods: [method].flat() })
  })
  register()
  registering = false

  for (const url of new Set(routes.map((route) => route.url))) {
    const allowed = new Set(
      routes.filter((route) => covers(route.url, url)).flatMap((route) => route.methods),
    )
    const allow = allMethods.filter((method) => allowed.has(method)).join(', ')
    app.route({
      url,
      method: allMethods.filter((method) => !allowed.has(method)),
      handler: (_request, reply) => {
        reply.header('allow', allow)
        throw new CoreError('method_not_allowed')
      },
    })
  }
}
