/** The environment of a process that inherits no settings: where programs are, and the compiled code of the modules. */
export const childEnvironment = () => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
})
