import ajv from '@fastify/ajv-compiler';
import stringifier from '@fastify/fast-json-stringify-compiler';

const buildCheck = ajv();
const buildWriter = stringifier();

/**
 * Compilers that make fastify compile each API schema on first use. Compiling all at once would add 150 ms to every
 * start, even when the API is not used.
 */
export const COMPILE_LAZILY = {
  buildValidator: (...given: Parameters<typeof buildCheck>) => {
    const compile = buildCheck(...given);
    return (route: Parameters<typeof compile>[0]) => {
      let made: ReturnType<typeof compile> | undefined;
      const check = (value: unknown) => {
        made ??= compile(route);
        const isValid = made(value);
        check.errors = made.errors;
        return isValid;
      };
      check.errors = null as ReturnType<typeof compile>['errors'];
      // Fastify only calls the function and reads `errors`; it uses nothing else of an ajv validator.
      return check as unknown as ReturnType<typeof compile>;
    };
  },
  buildSerializer: (...given: Parameters<typeof buildWriter>) => {
    const compile = buildWriter(...given);
    return (route: Parameters<typeof compile>[0]) => {
      let made: ReturnType<typeof compile> | undefined;
      return (value: unknown) => (made ??= compile(route))(value);
    };
  },
};
