"use strict";
// Sorts tables by the column whose heading is pressed, and hides the rows that lack a text.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  const text = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent;
  };

  const sort = (column, direction) => {
    const isNumber = headings[column].classList.contains("number");
    const key = (row) => {
      const value = text(row, column);
      return isNumber && value !== "" ? Number(value) : value;
    };
    const keyed = rows.map((row) => [key(row), row]);
    // Empty fields come last either way. Equal ones keep the order that they came in.
    keyed.sort(([one], [other]) => {
      if (one === "" || other === "") return (one === "") - (other === "");
      return direction * ((one > other) - (one < other));
    });
    body.append(...keyed.map(([, row]) => row));
  };

  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of headings) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sort(column, ascending ? 1 : -1);
    });
  });

  const filter = document.getElementById(table.dataset.filter);
  if (filter === null) continue;
  const input = filter.querySelector("input");
  const shown = filter.querySelector("output");
  const texts = rows.map((row) => [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase());
  const narrow = () => {
    const wanted = input.value.trim().toLowerCase();
    let count = 0;
    rows.forEach((row, number) => {
      row.hidden = !texts[number].includes(wanted);
      count += row.hidden ? 0 : 1;
    });
    shown.textContent = wanted === "" ? "" : `${count} of ${rows.length} rows`;
  };
  input.addEventListener("input", narrow);
  filter.hidden = false;
  // Browsers keep what was typed when a page is loaded anew.
  narrow();
}
