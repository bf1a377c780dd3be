//! The countries of the network and their large cities.

use super::names::Culture;

/// A country as the dictionary has it.
pub(crate) struct CountryEntry {
    pub(crate) name: &'static str,
    pub(crate) continent: Continent,
    /// How many persons live there, in millions: their share of the persons.
    pub(crate) population: u32,
    pub(crate) languages: &'static [&'static str],
    pub(crate) culture: Culture,
    pub(crate) cities: [&'static str; 5],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Continent {
    Asia,
    Africa,
    Europe,
    SouthAmerica,
    NorthAmerica,
    Australia,
}

/// The names of the continents, in the order of [`Continent`].
pub(crate) const CONTINENTS: [&str; 6] = [
    "Asia",
    "Africa",
    "Europe",
    "South_America",
    "North_America",
    "Australia",
];

const fn country(
    name: &'static str,
    continent: Continent,
    population: u32,
    languages: &'static [&'static str],
    culture: Culture,
    cities: [&'static str; 5],
) -> CountryEntry {
    CountryEntry {
        name,
        continent,
        population,
        languages,
        culture,
        cities,
    }
}

use Continent::*;
use Culture as C;

/// Most populous first.
#[rustfmt::skip]
pub(crate) const COUNTRIES: [CountryEntry; 48] = [
    country("India", Asia, 1428, &["hi", "ta", "bn", "te", "mr"], C::Indian, ["Mumbai", "Delhi", "Bangalore", "Chennai", "Kolkata"]),
    country("China", Asia, 1412, &["zh"], C::Chinese, ["Shanghai", "Beijing", "Guangzhou", "Chengdu", "Wuhan"]),
    country("United_States", NorthAmerica, 333, &["en", "es"], C::English, ["New_York_City", "Los_Angeles", "Chicago", "Houston", "Seattle"]),
    country("Indonesia", Asia, 276, &["id"], C::Indonesian, ["Jakarta", "Surabaya", "Bandung", "Medan", "Semarang"]),
    country("Pakistan", Asia, 236, &["ur", "pa"], C::Arabic, ["Karachi", "Lahore", "Faisalabad", "Rawalpindi", "Multan"]),
    country("Nigeria", Africa, 219, &["en", "ha", "yo"], C::WestAfrican, ["Lagos", "Kano", "Ibadan", "Abuja", "Port_Harcourt"]),
    country("Brazil", SouthAmerica, 215, &["pt"], C::Portuguese, ["São_Paulo", "Rio_de_Janeiro", "Brasília", "Salvador", "Fortaleza"]),
    country("Bangladesh", Asia, 171, &["bn"], C::Indian, ["Dhaka", "Chittagong", "Khulna", "Rajshahi", "Sylhet"]),
    country("Russia", Europe, 144, &["ru"], C::EastSlavic, ["Moscow", "Saint_Petersburg", "Novosibirsk", "Yekaterinburg", "Kazan"]),
    country("Mexico", NorthAmerica, 128, &["es"], C::Spanish, ["Mexico_City", "Guadalajara", "Monterrey", "Puebla", "Tijuana"]),
    country("Japan", Asia, 125, &["ja"], C::Japanese, ["Tokyo", "Yokohama", "Osaka", "Nagoya", "Sapporo"]),
    country("Ethiopia", Africa, 123, &["am", "om"], C::EastAfrican, ["Addis_Ababa", "Gondar", "Mekelle", "Adama", "Hawassa"]),
    country("Philippines", Asia, 116, &["tl", "en"], C::Spanish, ["Manila", "Quezon_City", "Davao_City", "Cebu_City", "Zamboanga_City"]),
    country("Egypt", Africa, 111, &["ar"], C::Arabic, ["Cairo", "Alexandria", "Giza", "Luxor", "Port_Said"]),
    country("Vietnam", Asia, 98, &["vi"], C::Vietnamese, ["Ho_Chi_Minh_City", "Hanoi", "Da_Nang", "Haiphong", "Can_Tho"]),
    country("Iran", Asia, 89, &["fa"], C::Turkic, ["Tehran", "Mashhad", "Isfahan", "Shiraz", "Tabriz"]),
    country("Turkey", Asia, 85, &["tr"], C::Turkic, ["Istanbul", "Ankara", "İzmir", "Bursa", "Antalya"]),
    country("Germany", Europe, 84, &["de"], C::German, ["Berlin", "Hamburg", "Munich", "Cologne", "Frankfurt"]),
    country("Thailand", Asia, 72, &["th"], C::Indonesian, ["Bangkok", "Chiang_Mai", "Nakhon_Ratchasima", "Hat_Yai", "Khon_Kaen"]),
    country("France", Europe, 68, &["fr"], C::French, ["Paris", "Marseille", "Lyon", "Toulouse", "Nantes"]),
    country("United_Kingdom", Europe, 67, &["en"], C::English, ["London", "Birmingham", "Manchester", "Glasgow", "Cardiff"]),
    country("Tanzania", Africa, 65, &["sw", "en"], C::EastAfrican, ["Dar_es_Salaam", "Mwanza", "Arusha", "Dodoma", "Mbeya"]),
    country("South_Africa", Africa, 60, &["en", "af", "zu"], C::English, ["Johannesburg", "Cape_Town", "Durban", "Pretoria", "Bloemfontein"]),
    country("Italy", Europe, 59, &["it"], C::Italian, ["Rome", "Milan", "Naples", "Turin", "Palermo"]),
    country("Kenya", Africa, 54, &["sw", "en"], C::EastAfrican, ["Nairobi", "Mombasa", "Kisumu", "Nakuru", "Eldoret"]),
    country("Colombia", SouthAmerica, 52, &["es"], C::Spanish, ["Bogotá", "Medellín", "Cali", "Barranquilla", "Cartagena"]),
    country("South_Korea", Asia, 52, &["ko"], C::Korean, ["Seoul", "Busan", "Incheon", "Daegu", "Daejeon"]),
    country("Spain", Europe, 48, &["es", "ca"], C::Spanish, ["Madrid", "Barcelona", "Valencia", "Seville", "Zaragoza"]),
    country("Argentina", SouthAmerica, 46, &["es"], C::Spanish, ["Buenos_Aires", "Córdoba", "Rosario", "Mendoza", "La_Plata"]),
    country("Algeria", Africa, 45, &["ar", "fr"], C::Arabic, ["Algiers", "Oran", "Constantine", "Annaba", "Blida"]),
    country("Ukraine", Europe, 41, &["uk", "ru"], C::EastSlavic, ["Kyiv", "Kharkiv", "Odesa", "Dnipro", "Lviv"]),
    country("Canada", NorthAmerica, 39, &["en", "fr"], C::English, ["Toronto", "Montreal", "Vancouver", "Calgary", "Ottawa"]),
    country("Poland", Europe, 38, &["pl"], C::WestSlavic, ["Warsaw", "Kraków", "Łódź", "Wrocław", "Poznań"]),
    country("Morocco", Africa, 37, &["ar", "fr"], C::Arabic, ["Casablanca", "Fez", "Tangier", "Marrakesh", "Rabat"]),
    country("Peru", SouthAmerica, 34, &["es"], C::Spanish, ["Lima", "Arequipa", "Trujillo", "Chiclayo", "Cusco"]),
    country("Malaysia", Asia, 34, &["ms", "en"], C::Indonesian, ["Kuala_Lumpur", "George_Town", "Johor_Bahru", "Ipoh", "Kuching"]),
    country("Ghana", Africa, 33, &["en", "ak"], C::WestAfrican, ["Accra", "Kumasi", "Tamale", "Takoradi", "Cape_Coast"]),
    country("Australia", Australia, 26, &["en"], C::English, ["Sydney", "Melbourne", "Brisbane", "Perth", "Adelaide"]),
    country("Chile", SouthAmerica, 20, &["es"], C::Spanish, ["Santiago", "Valparaíso", "Concepción", "Antofagasta", "Temuco"]),
    country("Netherlands", Europe, 18, &["nl"], C::Dutch, ["Amsterdam", "Rotterdam", "The_Hague", "Utrecht", "Eindhoven"]),
    country("Senegal", Africa, 17, &["fr", "wo"], C::WestAfrican, ["Dakar", "Touba", "Thiès", "Kaolack", "Saint-Louis"]),
    country("Belgium", Europe, 12, &["nl", "fr"], C::Dutch, ["Brussels", "Antwerp", "Ghent", "Charleroi", "Liège"]),
    country("Czech_Republic", Europe, 11, &["cs"], C::WestSlavic, ["Prague", "Brno", "Ostrava", "Plzeň", "Olomouc"]),
    country("Sweden", Europe, 10, &["sv"], C::Nordic, ["Stockholm", "Gothenburg", "Malmö", "Uppsala", "Linköping"]),
    country("Portugal", Europe, 10, &["pt"], C::Portuguese, ["Lisbon", "Porto", "Braga", "Coimbra", "Faro"]),
    country("Austria", Europe, 9, &["de"], C::German, ["Vienna", "Graz", "Linz", "Salzburg", "Innsbruck"]),
    country("Norway", Europe, 5, &["no"], C::Nordic, ["Oslo", "Bergen", "Trondheim", "Stavanger", "Tromsø"]),
    country("New_Zealand", Australia, 5, &["en", "mi"], C::English, ["Auckland", "Christchurch", "Wellington", "Hamilton", "Dunedin"]),
];
