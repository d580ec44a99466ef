const people = [{ name: "John", age: 30 }, { name: "Ada", age: 36 }];

function older(person) {
  const age = person.age + 1;
  return { ...person, age };
}

for (const person of people) older(person);

function retired(person) {
  return person.age > 66;
}
