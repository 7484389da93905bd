// A form made from the JSON Schema of a tool: what is left empty is left out.

import { element } from "../dom.js";

const IDS = "wizard-ids";

/** A form for the arguments of a tool; `onSubmit` gets those that were filled in. */
export function toolForm(tool, onSubmit) {
  const form = element("form", "tool-form");
  form.append(element("p", "about", tool.description || ""));
  const inside = fieldsOf(tool.parameters);
  form.append(...inside.nodes);
  const call = element("button", "primary", "Call");
  call.type = "submit";
  form.append(call);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      onSubmit(inside.read() || {});
    } catch (problem) {
      form.querySelector(".wrong")?.remove();
      form.append(element("p", "wrong", String(problem.message || problem)));
    }
  });
  return form;
}

function fieldsOf(schema, inside = false) {
  const required = new Set(schema.required || []);
  const fields = Object.entries(schema.properties || {}).map(
    ([name, each]) => [name, field(name, each, required.has(name), inside)],
  );
  return {
    nodes: fields.map(([, each]) => each.node),
    read() {
      const found = fields.map(([name, each]) => [name, each.read()]).filter(([, value]) => value !== undefined);
      return found.length ? Object.fromEntries(found) : undefined;
    },
  };
}

function field(name, schema, required, inside) {
  if (schema.type === "object" && schema.properties) return group(name, schema, required);
  if (schema.type === "array" && schema.items?.enum) return choices(name, schema);
  if (schema.type === "boolean" && inside && !required) return box(name);
  const [input, read] = control(schema, required);
  const label = element("label", "field");
  const title = element("span", "name", name);
  if (!required) title.append(element("i", "", "optional"));
  label.append(title, input);
  const hint = [schema.description, range(schema)].filter(Boolean).join(" ");
  if (hint) label.append(element("small", "", hint));
  input.name = name;
  input.required = required;
  return { node: label, read };
}

function group(name, schema, required) {
  const set = element("fieldset", "group");
  const inside = fieldsOf(schema, true);
  set.append(element("legend", "", name), ...inside.nodes);
  return { node: set, read: () => inside.read() ?? (required ? {} : undefined) };
}

/** A truth value inside an object: true, or left out. */
function box(name) {
  const input = element("input"), node = element("label", "choice");
  input.type = "checkbox";
  input.name = name;
  node.append(input, name);
  return { node, read: () => input.checked || undefined };
}

function choices(name, schema) {
  const set = element("fieldset", "group");
  set.append(element("legend", "", name));
  for (const option of schema.items.enum) {
    const box = element("input");
    box.type = "checkbox";
    box.value = option;
    const label = element("label", "choice");
    label.append(box, option);
    set.append(label);
  }
  const read = () => {
    const found = [...set.querySelectorAll(":checked")].map((box) => box.value);
    return found.length ? found : undefined;
  };
  return { node: set, read };
}

function control(schema, required) {
  if (schema.enum) return select(schema.enum.map((value) => [value, value]), required);
  switch (schema.type) {
    case "boolean": return select([["yes", true], ["no", false]], required);
    case "number": case "integer": return number(schema);
    case "array": return list(schema);
    case "object": return json();
    default: return text();
  }
}

function select(options, required) {
  const input = element("select");
  input.append(new Option(required ? "choose" : "leave out", ""));
  for (const [label] of options) input.append(new Option(label, label));
  return [input, () => options.find(([label]) => label === input.value)?.[1]];
}

function number(schema) {
  const input = element("input");
  input.type = "number";
  input.min = schema.minimum ?? "";
  input.max = schema.maximum ?? "";
  input.step = schema.multipleOf ?? (schema.type === "integer" ? 1 : "any");
  return [input, () => (input.value === "" ? undefined : Number(input.value))];
}

function text() {
  const input = element("input");
  input.type = "text";
  input.autocomplete = "off";
  input.setAttribute("list", IDS);
  return [input, () => input.value.trim() || undefined];
}

function list(schema) {
  const plain = ["string", undefined].includes(schema.items?.type);
  if (!plain) return json();
  const [input, read] = text();
  input.placeholder = "one, two";
  return [input, () => read()?.split(",").map((part) => part.trim()).filter(Boolean)];
}

function json() {
  const input = element("textarea");
  input.rows = 3;
  input.placeholder = "JSON";
  return [input, () => {
    if (!input.value.trim()) return undefined;
    try {
      return JSON.parse(input.value);
    } catch (problem) {
      throw new Error(`${input.name} is no JSON: ${problem.message}`);
    }
  }];
}

function range({ minimum, maximum, multipleOf }) {
  if (minimum === undefined && maximum === undefined) return "";
  const step = multipleOf && multipleOf !== 1 ? ` in steps of ${multipleOf}` : "";
  return maximum === undefined ? `${minimum} or more${step}.` : `${minimum ?? "…"} to ${maximum}${step}.`;
}

/** Ids that were seen in answers, offered wherever a text is asked for. */
export function seenIds() {
  const node = element("datalist");
  node.id = IDS;
  const known = new Set();

  function gather(value, name, label) {
    if (Array.isArray(value)) value.forEach((each) => gather(each, name, label));
    else if (value && typeof value === "object") {
      const own = [value.name, value.display_name].find((each) => typeof each === "string") || label;
      for (const [key, each] of Object.entries(value)) gather(each, key, own);
    } else if (typeof value === "string" && /(^|_)ids?$/.test(name) && !known.has(value)) {
      known.add(value);
      node.prepend(new Option(label, value));
    }
  }

  return {
    node,
    add(output) {
      try {
        gather(JSON.parse(output), "", "");
      } catch { /* some answers are plain text */ }
    },
  };
}
