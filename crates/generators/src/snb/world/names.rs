//! Given names and surnames by culture, common ones first.

/// Countries whose persons have the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Culture {
    Indian,
    Chinese,
    English,
    Indonesian,
    Arabic,
    WestAfrican,
    Portuguese,
    EastSlavic,
    Spanish,
    Japanese,
    EastAfrican,
    Vietnamese,
    Turkic,
    German,
    French,
    Italian,
    Korean,
    WestSlavic,
    Dutch,
    Nordic,
}

/// The names of a culture.
pub(crate) struct Names {
    pub(crate) female: [&'static str; 14],
    pub(crate) male: [&'static str; 14],
    pub(crate) surnames: [&'static str; 18],
}

impl Culture {
    pub(crate) fn names(self) -> &'static Names {
        &NAMES[self as usize]
    }
}

/// How many cultures there are.
pub(crate) const CULTURES: usize = NAMES.len();

/// In the order of [`Culture`].
#[rustfmt::skip]
pub(crate) const NAMES: [Names; 20] = [
    Names {
        female: ["Priya", "Anita", "Sunita", "Lakshmi", "Deepa", "Kavita", "Meera", "Asha", "Nandini", "Rekha", "Shreya", "Usha", "Divya", "Geeta"],
        male: ["Rahul", "Amit", "Sanjay", "Arjun", "Vijay", "Ravi", "Suresh", "Anil", "Kumar", "Rajesh", "Ashok", "Manoj", "Deepak", "Prakash"],
        surnames: ["Kumar", "Sharma", "Singh", "Patel", "Das", "Gupta", "Rao", "Reddy", "Khan", "Mehta", "Nair", "Iyer", "Bose", "Chatterjee", "Joshi", "Kapoor", "Menon", "Verma"],
    },
    Names {
        female: ["Fang", "Li", "Xiu", "Na", "Mei", "Yan", "Jing", "Hui", "Ling", "Xia", "Juan", "Qing", "Lan", "Hong"],
        male: ["Wei", "Jun", "Yang", "Lei", "Jie", "Chao", "Tao", "Ming", "Peng", "Bo", "Qiang", "Hao", "Long", "Gang"],
        surnames: ["Wang", "Li", "Zhang", "Liu", "Chen", "Yang", "Huang", "Zhao", "Wu", "Zhou", "Xu", "Sun", "Ma", "Zhu", "Hu", "Guo", "He", "Lin"],
    },
    Names {
        female: ["Mary", "Emma", "Olivia", "Jennifer", "Emily", "Sarah", "Jessica", "Alice", "Grace", "Chloe", "Hannah", "Lucy", "Megan", "Ruth"],
        male: ["James", "John", "William", "David", "Michael", "Thomas", "Daniel", "George", "Harry", "Jack", "Oliver", "Samuel", "Ryan", "Peter"],
        surnames: ["Smith", "Jones", "Williams", "Brown", "Taylor", "Johnson", "Davis", "Wilson", "Evans", "Walker", "White", "Hall", "Green", "Wood", "Clarke", "Hill", "Baker", "O'Brien"],
    },
    Names {
        female: ["Siti", "Dewi", "Putri", "Sri", "Ayu", "Wati", "Indah", "Ratna", "Nur", "Lestari", "Kartika", "Intan", "Yuliana", "Mega"],
        male: ["Budi", "Agus", "Eko", "Joko", "Hendra", "Rizal", "Dwi", "Bambang", "Hasan", "Iwan", "Yusuf", "Taufik", "Rudi", "Andi"],
        surnames: ["Santoso", "Wijaya", "Saputra", "Hidayat", "Setiawan", "Kurniawan", "Lubis", "Nasution", "Siregar", "Hartono", "Gunawan", "Susanto", "Halim", "Rahman", "Ismail", "Abdullah", "Salleh", "Osman"],
    },
    Names {
        female: ["Fatima", "Aisha", "Mariam", "Zainab", "Layla", "Noor", "Hana", "Salma", "Amina", "Khadija", "Yasmin", "Rania", "Huda", "Samira"],
        male: ["Mohamed", "Ahmed", "Ali", "Omar", "Hassan", "Ibrahim", "Khalid", "Youssef", "Tariq", "Karim", "Mustafa", "Bilal", "Samir", "Imran"],
        surnames: ["Khan", "Hassan", "Ali", "Ahmed", "Ibrahim", "Malik", "Hussein", "Mansour", "Saleh", "Farouk", "Nasser", "Qureshi", "Amrani", "Benali", "Haddad", "Rashid", "Sheikh", "Aziz"],
    },
    Names {
        female: ["Ngozi", "Amaka", "Chioma", "Folake", "Aminata", "Fatou", "Adwoa", "Abena", "Yetunde", "Ifeoma", "Kemi", "Mariama", "Efua", "Halima"],
        male: ["Chinedu", "Emeka", "Kwame", "Kofi", "Olu", "Ousmane", "Mamadou", "Tunde", "Ibrahima", "Kwabena", "Sani", "Musa", "Segun", "Yaw"],
        surnames: ["Okafor", "Adeyemi", "Mensah", "Diallo", "Diop", "Okonkwo", "Balogun", "Owusu", "Boateng", "Ndiaye", "Bello", "Eze", "Asante", "Traoré", "Sow", "Fall", "Abubakar", "Osei"],
    },
    Names {
        female: ["Maria", "Ana", "Juliana", "Fernanda", "Camila", "Beatriz", "Larissa", "Inês", "Luísa", "Carolina", "Mariana", "Sofia", "Letícia", "Rita"],
        male: ["João", "Pedro", "Lucas", "Carlos", "Paulo", "Rafael", "Bruno", "Tiago", "Gustavo", "Rui", "Felipe", "Diogo", "Marcelo", "Nuno"],
        surnames: ["Silva", "Santos", "Oliveira", "Souza", "Pereira", "Costa", "Ferreira", "Almeida", "Carvalho", "Gomes", "Ribeiro", "Martins", "Rocha", "Araújo", "Lopes", "Moreira", "Pinto", "Teixeira"],
    },
    Names {
        female: ["Anna", "Olga", "Natalia", "Elena", "Irina", "Tatiana", "Svetlana", "Oksana", "Daria", "Ksenia", "Yulia", "Larisa", "Vera", "Galina"],
        male: ["Alexei", "Ivan", "Dmitri", "Sergei", "Andrei", "Mikhail", "Nikolai", "Oleg", "Pavel", "Viktor", "Yuri", "Maxim", "Taras", "Igor"],
        surnames: ["Ivanov", "Smirnov", "Kuznetsov", "Popov", "Volkov", "Petrov", "Sokolov", "Shevchenko", "Kovalenko", "Bondarenko", "Morozov", "Novikov", "Fedorov", "Orlov", "Melnyk", "Belov", "Zaitsev", "Pavlov"],
    },
    Names {
        female: ["María", "Carmen", "Ana", "Lucía", "Sofía", "Isabel", "Elena", "Valentina", "Gabriela", "Rosa", "Camila", "Paula", "Teresa", "Ximena"],
        male: ["José", "Juan", "Luis", "Carlos", "Miguel", "Antonio", "Diego", "Javier", "Andrés", "Fernando", "Pablo", "Manuel", "Jorge", "Ramón"],
        surnames: ["García", "Rodríguez", "González", "Hernández", "López", "Martínez", "Pérez", "Sánchez", "Ramírez", "Flores", "Torres", "Cruz", "Reyes", "Morales", "Ortiz", "Castillo", "Vargas", "Peña"],
    },
    Names {
        female: ["Yui", "Sakura", "Hana", "Aoi", "Yuko", "Keiko", "Akiko", "Emi", "Haruka", "Naomi", "Miyu", "Rin", "Kaori", "Tomoko"],
        male: ["Haruto", "Kenji", "Takashi", "Hiroshi", "Akira", "Ren", "Daiki", "Yuto", "Satoshi", "Kazuki", "Shin", "Makoto", "Naoki", "Ryo"],
        surnames: ["Sato", "Suzuki", "Takahashi", "Tanaka", "Watanabe", "Ito", "Yamamoto", "Nakamura", "Kobayashi", "Kato", "Yoshida", "Yamada", "Sasaki", "Mori", "Abe", "Ikeda", "Ishikawa", "Ogawa"],
    },
    Names {
        female: ["Almaz", "Tigist", "Hana", "Wanjiru", "Akinyi", "Neema", "Zawadi", "Makena", "Selam", "Bethlehem", "Rehema", "Njeri", "Amani", "Fikirte"],
        male: ["Abebe", "Dawit", "Kamau", "Otieno", "Juma", "Baraka", "Tesfaye", "Bekele", "Mwangi", "Salim", "Haile", "Kibet", "Yonas", "Hamisi"],
        surnames: ["Tesfaye", "Bekele", "Mwangi", "Otieno", "Kamau", "Haile", "Abebe", "Ochieng", "Mushi", "Kimani", "Njoroge", "Alemu", "Mollel", "Girma", "Wambui", "Tadesse", "Mwakyusa", "Kiptoo"],
    },
    Names {
        female: ["Linh", "Huong", "Lan", "Mai", "Thuy", "Trang", "Hoa", "Ngoc", "Phuong", "Thao", "Hanh", "Yen", "Nga", "Vy"],
        male: ["Minh", "Hung", "Tuan", "Duc", "Nam", "Anh", "Quang", "Dung", "Hai", "Khanh", "Long", "Son", "Thanh", "Viet"],
        surnames: ["Nguyen", "Tran", "Le", "Pham", "Hoang", "Phan", "Vu", "Dang", "Bui", "Do", "Ho", "Ngo", "Duong", "Ly", "Dinh", "Trinh", "Mai", "To"],
    },
    Names {
        female: ["Ayşe", "Fatma", "Elif", "Zeynep", "Maryam", "Zahra", "Leila", "Sara", "Emine", "Shirin", "Nazanin", "Esra", "Parisa", "Defne"],
        male: ["Mehmet", "Mustafa", "Ali", "Reza", "Emre", "Hossein", "Burak", "Kemal", "Amir", "Cem", "Farhad", "Murat", "Navid", "Kaan"],
        surnames: ["Yılmaz", "Kaya", "Demir", "Hosseini", "Ahmadi", "Şahin", "Çelik", "Karimi", "Moradi", "Öztürk", "Aydın", "Rahimi", "Arslan", "Jafari", "Doğan", "Kazemi", "Koç", "Ebrahimi"],
    },
    Names {
        female: ["Anna", "Julia", "Lena", "Katharina", "Sophie", "Laura", "Hannah", "Ursula", "Monika", "Claudia", "Greta", "Johanna", "Ingrid", "Petra"],
        male: ["Hans", "Lukas", "Felix", "Jonas", "Karl", "Stefan", "Thomas", "Jürgen", "Matthias", "Paul", "Florian", "Wolfgang", "Otto", "Tobias"],
        surnames: ["Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Meyer", "Wagner", "Becker", "Schulz", "Hoffmann", "Bauer", "Koch", "Huber", "Gruber", "Wolf", "Klein", "Schröder", "Neumann"],
    },
    Names {
        female: ["Marie", "Camille", "Léa", "Chloé", "Manon", "Sophie", "Claire", "Juliette", "Élise", "Nathalie", "Isabelle", "Louise", "Anaïs", "Margaux"],
        male: ["Pierre", "Louis", "Jean", "Nicolas", "Antoine", "François", "Hugo", "Julien", "Mathieu", "Étienne", "Gabriel", "Thierry", "Olivier", "Rémi"],
        surnames: ["Martin", "Bernard", "Dubois", "Thomas", "Robert", "Richard", "Petit", "Durand", "Leroy", "Moreau", "Simon", "Laurent", "Lefebvre", "Michel", "Roux", "Fournier", "Girard", "Mercier"],
    },
    Names {
        female: ["Giulia", "Chiara", "Francesca", "Sara", "Martina", "Valentina", "Elisa", "Paola", "Lucia", "Silvia", "Bianca", "Ilaria", "Rosa", "Beatrice"],
        male: ["Marco", "Luca", "Matteo", "Andrea", "Giuseppe", "Antonio", "Francesco", "Davide", "Paolo", "Alessandro", "Stefano", "Enzo", "Nicola", "Pietro"],
        surnames: ["Rossi", "Russo", "Ferrari", "Esposito", "Bianchi", "Romano", "Colombo", "Ricci", "Marino", "Greco", "Bruno", "Gallo", "Conti", "Costa", "Fontana", "Caruso", "Moretti", "Lombardi"],
    },
    Names {
        female: ["Min-ji", "Seo-yeon", "Ji-woo", "Soo-jin", "Hye-jin", "Eun-ji", "Yuna", "Hana", "Mi-kyung", "Da-hye", "Bo-ra", "Ye-jin", "So-hee", "Na-ri"],
        male: ["Min-jun", "Ji-hoon", "Seung-ho", "Dong-hyun", "Sung-min", "Joon", "Tae-yang", "Hyun-woo", "Jin-ho", "Ki-hyun", "Sang-woo", "Young-ho", "Do-yun", "Chul"],
        surnames: ["Kim", "Lee", "Park", "Choi", "Jung", "Kang", "Cho", "Yoon", "Jang", "Lim", "Han", "Oh", "Seo", "Shin", "Kwon", "Hwang", "Ahn", "Song"],
    },
    Names {
        female: ["Agnieszka", "Katarzyna", "Zofia", "Magdalena", "Ewa", "Jana", "Lenka", "Petra", "Hana", "Małgorzata", "Alena", "Kinga", "Tereza", "Monika"],
        male: ["Jan", "Piotr", "Tomasz", "Jakub", "Marek", "Michał", "Paweł", "Petr", "Jiří", "Adam", "Lukáš", "Wojciech", "Ondřej", "Kamil"],
        surnames: ["Nowak", "Kowalski", "Novák", "Dvořák", "Wiśniewski", "Wójcik", "Svoboda", "Kamiński", "Zieliński", "Novotný", "Mazur", "Černý", "Krawczyk", "Procházka", "Dudek", "Veselý", "Pawlak", "Horák"],
    },
    Names {
        female: ["Sanne", "Lotte", "Emma", "Anouk", "Fleur", "Marieke", "Ingrid", "Femke", "Els", "Julie", "Noor", "Roos", "Maud", "Saskia"],
        male: ["Jan", "Pieter", "Daan", "Willem", "Bram", "Joris", "Koen", "Maarten", "Ruben", "Sven", "Thijs", "Wout", "Dirk", "Luc"],
        surnames: ["de Jong", "Jansen", "de Vries", "van den Berg", "Bakker", "Janssens", "Peeters", "Visser", "Smit", "Maes", "Meijer", "Mulder", "Jacobs", "Claes", "Bos", "Wouters", "Vos", "Dekker"],
    },
    Names {
        female: ["Astrid", "Ingrid", "Linnea", "Maja", "Freja", "Sigrid", "Elsa", "Karin", "Kristin", "Nora", "Solveig", "Emma", "Liv", "Åsa"],
        male: ["Erik", "Lars", "Anders", "Johan", "Magnus", "Nils", "Björn", "Olav", "Gustav", "Henrik", "Sven", "Tor", "Leif", "Axel"],
        surnames: ["Andersson", "Johansson", "Hansen", "Karlsson", "Nilsson", "Olsen", "Larsen", "Eriksson", "Berg", "Lindqvist", "Lund", "Bakken", "Svensson", "Haugen", "Nyström", "Dahl", "Holm", "Åkesson"],
    },
];
