import { registerHooks } from 'node:module'

// A process under test imports this module, which reports each OpenTelemetry package that the process loads to its
// parent.
registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /node_modules\/(@opentelemetry\/[^/]+)/.exec(url) ?? []
    if (name) process.send?.({ loaded: name })
    return nextLoad(url, context)
  },
})
